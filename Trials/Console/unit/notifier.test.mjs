// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { event } from "../../../Console/model/events.js";
import { kinds } from "../../../Console/model/notices.js";
import { notifier } from "../../../Console/notifier.js";
import { use } from "../../../Console/texts.js";

const read = (path) => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url)));
const languages = ["en", "de"].map((language) => ({ language, texts: read(`Console/texts/${language}.json`), words: read(`docs/contract/words.${language}.json`) }));
const base = Date.parse("2026-11-22T10:00:00.000Z");
const happened = (seq, more = {}) => event({
    v: 1, agent: "a", epoch: 1, seq, time: new Date(base).toISOString(), clock: "synchronised", event: "code_appeared", code: "P0301", ecu: "7E8", states: ["stored"],
    description: "Misfire in cylinder 1", ...more,
}, "van-1");

/** A browser that asks the user, who answers so. */
function browser(answer, { isSecure = true, isPhone = false } = {}) {
    const shown = [];
    class Notification {
        static permission = "default";
        static asked = 0;
        static async requestPermission() {
            Notification.asked += 1;
            Notification.permission = answer;
            return answer;
        }
        constructor(title, options) {
            if (isPhone) throw new TypeError("Illegal constructor");
            shown.push({ title, ...options, close() {} });
            return shown.at(-1);
        }
    }
    return { shown, isSecureContext: isSecure, Notification, focus() {} };
}
const made = (found, opened = []) => notifier({ open: (vehicle) => opened.push(vehicle), changed() {} }, found);
use("en", languages[0].texts, languages[0].words);

test("The browser is asked only when the user switches notifications on, and never for what it has refused", async () => {
    const found = browser("granted");
    const one = made(found);
    one.resume(true, undefined);
    assert.equal(one.state(), "off");
    one.receive(happened(1), base, false);
    assert.deepEqual([found.Notification.asked, found.shown], [0, []]);
    await one.switch(true);
    assert.equal(one.state(), "on");
    one.receive(happened(2), base, false);
    // The first one shows that they come.
    assert.deepEqual(found.shown.map(({ title, tag }) => [title, tag]), [["Notifications are on", "switched"], ["van-1: P0301 appeared in 7E8", "van-1/code_appeared"]]);
    assert.match(found.shown[1].body, /Misfire in cylinder 1/);
    await one.switch(false);
    one.receive(happened(3), base, false);
    assert.equal(found.shown.length, 2);

    // To want none is a choice, too.
    const none = made(found);
    none.resume(true, []);
    assert.deepEqual([none.state(), [...none.kinds()]], ["on", []]);
    const some = made(found);
    some.resume(true, ["trip"]);
    assert.deepEqual([...some.kinds()], ["trip"]);

    const refused = browser("denied");
    const other = made(refused);
    await other.switch(true);
    await other.switch(true);
    assert.equal(other.state(), "denied");
    assert.equal(refused.Notification.asked, 1);
});

test("A page without https has no notifications, and says so", async () => {
    const found = browser("granted", { isSecure: false });
    const one = made(found);
    await one.switch(true);
    assert.equal(one.state(), "unavailable");
    assert.equal(found.Notification.asked, 0);
    assert.equal(made({ isSecureContext: true }).state(), "unavailable");
});

test("A click on a notification opens the vehicle; a phone that shows none is told", async () => {
    const [found, opened] = [browser("granted"), []];
    const one = made(found, opened);
    await one.switch(true);
    one.receive(happened(1), base, false);
    found.shown[1].onclick();
    assert.deepEqual(opened, ["van-1"]);

    const phone = browser("granted", { isPhone: true });
    const other = made(phone);
    await other.switch(true);
    assert.equal(other.state(), "unavailable");
});

test("What a vehicle publishes cannot make a long notification", async () => {
    const found = browser("granted");
    const one = made(found);
    await one.switch(true);
    one.receive(happened(1, { code: "x".repeat(5000), description: "y".repeat(5000) }), base, false);
    assert.ok(found.shown[1].title.length <= 160 && found.shown[1].body.length <= 160);
});

test("Every event, reason, command, monitor and state of the contract has words in each language", () => {
    const schema = (name) => read(`docs/contract/${name}.schema.json`);
    const common = schema("common").$defs;
    const codes = schema("codes").properties.codes.items.properties;
    const wanted = {
        event: schema("event").properties.event.enum, reason: schema("response").properties.reason.enum.filter(Boolean), command: common.command_name.enum,
        monitor: schema("monitors").$defs.states.propertyNames.enum, codes: common.code_state.enum, category: codes.category.enum, component: codes.group.enum,
        severity: [...codes.severity.enum, ...schema("finding").properties.severity.enum], answer: schema("response").properties.state.enum,
    };
    for (const { language, texts, words } of languages) {
        for (const [group, names] of Object.entries(wanted)) for (const name of names) assert.ok(words.terms[`${group}.${name}`], `${language}: ${group}.${name}`);
        for (const kind of [...wanted.event, ...kinds]) assert.ok(texts.events.kinds[kind], `${language}: events.kinds.${kind}`);
        const data = schema("vehicle").properties.ecus.items.properties.unread.items.enum;
        for (const name of data) assert.ok(texts.ecus.data[name], `${language}: ecus.data.${name}`);
    }
});
