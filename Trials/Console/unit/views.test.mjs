// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";

import { Picture } from "../../../Console/model/picture.js";
import "./english.mjs";
import "./document.mjs";
import { paper } from "../../../Console/paper.js";
import { codesView } from "../../../Console/views/codes.js";
import { html, watcher } from "../../../Console/views/elements.js";
import { draftLimit, findingView } from "../../../Console/views/finding.js";
import { guarded } from "../../../Console/views/guarded.js";

const bytes = (value) => new TextEncoder().encode(JSON.stringify(value));
const base = Date.parse("2026-11-22T10:00:00.000Z");

/** The form of a finding, as a user sees it. */
function form(record = () => Promise.resolve(false)) {
    const view = findingView(record);
    const [node] = view.node.all("form");
    const [text, codes] = [view.node.all("textarea")[0], view.node.all("input")[0]];
    return { view, text, codes, show: (name) => view.update(new Picture(name), base), send: () => node.listeners.submit({ preventDefault() {} }), details: view.node.all("details")[0] };
}

test("A finding is about the vehicle for which it was written, and its draft comes back with that vehicle", async () => {
    const sent = [];
    let answer;
    const one = form((order, vehicle) => {
        sent.push([vehicle, order.text]);
        return new Promise((done) => { answer = done; });
    });
    one.show("A");
    one.text.value = "Coil of A is dead";
    one.codes.value = "P0301";
    one.details.open = true;
    // The page resets its views when the user chooses another vehicle.
    one.view.reset();
    one.show("B");
    assert.deepEqual([one.text.value, one.codes.value, one.details.open], ["", "", false]);
    one.send();
    assert.deepEqual(sent, []);
    one.text.value = "B is fine";
    one.show("A");
    assert.deepEqual([one.text.value, one.codes.value, one.details.open], ["Coil of A is dead", "P0301", true]);
    const over = one.send();
    assert.deepEqual(sent, [["A", "Coil of A is dead"]]);
    // The answer comes while another vehicle is shown: only the draft that was recorded is gone.
    one.show("B");
    assert.equal(one.text.value, "B is fine");
    answer(true);
    await over;
    assert.equal(one.text.value, "B is fine");
    one.show("A");
    assert.equal(one.text.value, "");
});

test("A draft that is written on while the finding is recorded stays", async () => {
    let answer;
    const one = form(() => new Promise((done) => { answer = done; }));
    one.show("A");
    one.text.value = "first";
    const over = one.send();
    one.text.value = "second";
    answer(true);
    await over;
    assert.equal(one.text.value, "second");
});

test("The drafts are bounded, and gone when the user leaves the broker", () => {
    const one = form();
    for (let index = 0; index <= draftLimit; index += 1) {
        one.show(`V${index}`);
        one.text.value = `about ${index}`;
    }
    const drafts = Array.from({ length: draftLimit + 1 }, (_, index) => {
        one.show(`V${index}`);
        return one.text.value;
    });
    assert.deepEqual(drafts, ["", ...Array.from({ length: draftLimit }, (_, index) => `about ${index + 1}`)]);
    one.view.forget();
    one.show(`V${draftLimit}`);
    assert.equal(one.text.value, "");
});

function codes(report, isClearing = false) {
    const view = codesView({ read() {}, clear() {}, save() {}, isClearing: () => isClearing });
    const picture = new Picture("V1");
    const say = (payload) => picture.receive("codes", bytes(payload), base, true);
    say(report);
    view.update(picture, base);
    return { view, picture, say };
}
const report = { v: 1, time: "2026-11-22T09:00:00.000Z", known: true, mil: false, codes: [], unread: [], not_supported: [], freeze_frames: {} };
const entry = (code, value) => ({ code, ecu: "7E8", states: ["stored"], freeze_frame: { values: { engine_speed: { value } } } });

test("Codes are never older than the time that stands beside them", () => {
    const { view, picture, say } = codes(report);
    assert.match(view.node.textContent, /The vehicle has no trouble codes\.read 1 h ago/);
    say({ ...report, time: "2026-11-22T10:00:00.000Z", codes: [entry("P0301", { toString: 1, valueOf: 2 })] });
    view.update(picture, base);
    assert.match(view.node.textContent, /P0301.*read just now/);
    // A clock that is wrong says nothing about the age.
    say({ ...report, time: "2026-11-22T15:00:00.000Z" });
    view.update(picture, base);
    assert.match(view.node.textContent, /no trouble codes\.read at an unknown time/);
});

test("Of very many codes the first are shown, and the number of the others", () => {
    const { view } = codes({ ...report, codes: Array.from({ length: 14_000 }, (_, index) => ({ code: `P${index}`, ecu: "7E8" })) });
    assert.equal(view.node.all("li").length, 100);
    assert.match(view.node.textContent, /13,900 more codes are not shown/);
});

test("The button that clears is off while codes are read for a clear, or the user is asked", () => {
    const button = ({ view }) => view.node.all("button").find((one) => one.textContent === "Clear codes …");
    assert.equal(button(codes(report)).disabled, false);
    assert.equal(button(codes(report, true)).disabled, true);
});

test("A view that fails is replaced by a notice until it can be drawn again, and draws everything then", (context) => {
    context.mock.method(console, "error", () => {});
    const node = html("section");
    const parent = html("main", {}, node);
    const isNew = watcher();
    let fails = true;
    const view = guarded({ node, reset: () => "kept", update: (value) => {
        if (!isNew(value)) return;
        if (fails) throw new RangeError("Invalid time value");
        node.replaceChildren(value);
    } });
    view.update("a");
    assert.match(parent.textContent, /This cannot be shown/);
    view.update("a");
    assert.match(parent.textContent, /This cannot be shown/);
    assert.equal(console.error.mock.callCount(), 1);
    fails = false;
    view.update("a");
    assert.deepEqual([parent.textContent, view.reset()], ["a", "kept"]);
});

test("Paper never has the page itself in place of a report that fails", (context) => {
    context.mock.method(console, "error", () => {});
    const listeners = {};
    const body = Object.assign(html("body"), { classList: { add() {}, remove() {} } });
    Object.assign(globalThis, { window: { addEventListener: (name, listener) => { listeners[name] = listener; } } });
    document.body = body;
    paper(() => { throw new RangeError("Invalid time value"); }, () => undefined);
    listeners.beforeprint();
    assert.match(body.textContent, /This cannot be shown/);
});
