// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";

import { Fleet } from "../../../Console/model/fleet.js";
import { Loading, many, nameLimit, patience, portion, quiet } from "../../../Console/model/loading.js";
import { text } from "../../../Console/texts.js";
import "./english.mjs";
import { gaps } from "../../../Console/views/fleet.js";

/** A broker that passes on a limited number of retained messages for one subscription, as Mosquitto does. */
class Broker {
    constructor(count, limit, { hasCodes = () => true } = {}) {
        this.limit = limit;
        this.names = Array.from({ length: count }, (_, index) => `V${index}`);
        this.hasCodes = hasCodes;
        this.loading = new Loading("obd");
        this.now = 0;
        this.dropped = 0;
        this.largest = 0;
        this.complete = [];
        this.heard = new Map();
    }

    perform(actions) {
        for (const { subscribe, complete, retained } of actions) {
            if (complete) this.complete.push(...complete);
            if (!subscribe || !retained) continue;
            this.loading.acknowledged(this.now += 1);
            let sent = 0;
            for (const filter of subscribe) {
                const [, name, path] = filter.split("/");
                for (const one of name === "+" ? this.names : [name]) {
                    if (path === "codes" && !this.hasCodes(one)) continue;
                    sent += 1;
                    if (sent > this.limit) this.dropped += 1;
                    else {
                        this.heard.set(`${one}/${path}`, true);
                        this.loading.received(one, path, true, this.now);
                    }
                }
            }
            this.largest = Math.max(this.largest, sent);
        }
    }

    run(seconds = 60) {
        this.perform(this.loading.opened(this.now));
        for (let end = this.now + seconds * 1000; this.now < end; this.now += 50) this.perform(this.loading.passed(this.now));
        return this;
    }
}

test("The vehicle that the user waits for comes before the names of all", () => {
    const loading = new Loading("obd");
    const [news, first] = loading.opened(0, "V7");
    assert.equal(news.retained, false);
    assert.deepEqual(first.subscribe.slice(0, 4), ["obd/V7/availability", "obd/V7/status", "obd/V7/parameters/#", "obd/V7/vehicle"]);
    loading.acknowledged(10);
    loading.received("V7", "availability", true, 20);
    // While its messages come, there is no room for others.
    assert.deepEqual(loading.passed(20 + quiet), []);
    assert.ok(loading.awaitsNames && !loading.hasRoom);
    assert.deepEqual(loading.passed(40 + quiet), [{ subscribe: ["obd/+/availability"], qos: 1, retained: true }]);
    loading.acknowledged(50 + quiet);
    loading.received("V7", "availability", true, 60 + quiet);
    assert.deepEqual(loading.passed(60 + quiet), []);
    loading.passed(80 + 2 * quiet);
    assert.ok(loading.hasRoom && !loading.awaitsNames);
    assert.equal(loading.count, 1);
});

test("A broker that does not answer for one vehicle still tells the names of all", () => {
    const loading = new Loading("obd");
    loading.opened(0, "V7");
    assert.deepEqual(loading.passed(patience - 1), []);
    assert.deepEqual(loading.passed(patience), [{ subscribe: ["obd/+/availability"], qos: 1, retained: true }]);
});

test("New messages are subscribed to before the retained ones, and the names come first", () => {
    const loading = new Loading("fleet/obd");
    assert.deepEqual(loading.opened(0), [
        { subscribe: ["fleet/obd/+/status", "fleet/obd/+/codes", "fleet/obd/+/responses"], qos: 1, retained: false },
        { subscribe: ["fleet/obd/+/availability"], qos: 1, retained: true },
    ]);
    // Not before the broker has answered, and not while names still come.
    assert.deepEqual(loading.passed(9000), []);
    loading.acknowledged(9000);
    loading.received("V1", "availability", true, 9100);
    assert.ok(!loading.hasRoom);
    // Two round trips of nine seconds each.
    assert.deepEqual(loading.passed(9100 + quiet + 17_999), []);
    assert.deepEqual(loading.passed(9100 + quiet + 18_000), [
        { subscribe: ["fleet/obd/V1/status", "fleet/obd/V1/codes", "fleet/obd/V1/availability"], qos: 0, retained: true },
    ]);
    assert.ok(loading.hasRoom);
});

test("Of 600 vehicles nothing is lost at a broker that passes on 1,000 messages at once", () => {
    const broker = new Broker(600, 1000).run();
    assert.deepEqual([broker.dropped, broker.complete.length, broker.loading.missing, broker.loading.isCut], [0, 600, 0, false]);
    assert.ok(broker.largest <= 600);
    for (const name of broker.names) for (const path of ["availability", "status", "codes"]) assert.ok(broker.heard.has(`${name}/${path}`), name);
});

test("Names that the broker has dropped are noticed, and those that it has not are not doubted", () => {
    for (const [count, limit, isCut] of [[950, 1020, false], [1000, 1020, false], [1021, 1020, true], [1100, 999, true], [3000, 1020, true], [3000, 100_000, false], [899, 1020, false]]) {
        const broker = new Broker(count, limit).run();
        assert.equal(broker.loading.isCut, isCut, `${count} of ${limit}`);
        assert.equal(broker.complete.length, Math.min(count, limit));
    }
    assert.ok(many < 1000);
});

test("A vehicle that is heard of later is loaded, once", () => {
    const broker = new Broker(2, 1000).run(5);
    broker.names.push("late");
    for (const path of ["status", "codes", "status"]) broker.loading.received("late", path, false, broker.now);
    assert.equal(broker.loading.missing, 1);
    for (let step = 0; step < 100; step += 1) broker.perform(broker.loading.passed(broker.now += 50));
    assert.deepEqual(broker.complete, ["V0", "V1", "late"]);
    assert.equal(broker.loading.missing, 0);
});

test("A portion ends with the message of its last vehicle, or without it after a while", () => {
    const loading = new Loading("obd");
    loading.opened(0);
    loading.acknowledged(0);
    for (let index = 0; index <= portion; index += 1) loading.received(`V${index}`, "availability", true, 0);
    assert.equal(loading.passed(quiet)[0].subscribe.length, 3 * portion);
    loading.acknowledged(quiet);
    loading.received("V0", "availability", true, quiet);
    assert.deepEqual(loading.passed(quiet + patience - 1), []);
    const actions = loading.passed(quiet + patience);
    assert.deepEqual([actions[0].unsubscribe.length, actions[1].complete.length, actions[2].subscribe], [
        3 * portion, portion, ["status", "codes", "availability"].map((path) => `obd/V${portion}/${path}`),
    ]);
    loading.received(`V${portion}`, "availability", true, quiet + patience);
    assert.deepEqual(loading.passed(quiet + patience)[1], { complete: [`V${portion}`] });
});

test("After a lost connection everything is loaded again", () => {
    const broker = new Broker(3, 1000).run(5);
    broker.loading.closed();
    broker.loading.received("V0", "availability", true, broker.now);
    assert.deepEqual(broker.loading.passed(broker.now + 9000), []);
    broker.complete = [];
    broker.run(5);
    assert.deepEqual(broker.complete, ["V0", "V1", "V2"]);
});

test("The list says what it lacks, with its number", () => {
    const fleet = new Fleet("obd");
    fleet.opened();
    const loading = { missing: 0, isCut: false, count: 0 };
    assert.deepEqual(gaps(fleet, loading), []);
    assert.match(gaps(fleet, { ...loading, missing: 7 })[0], /7 more vehicles/);
    assert.match(gaps(fleet, { ...loading, isCut: true, count: 1020 })[0], /only 1,020 messages at once.*max_queued_messages/);
    fleet.leftOut.add("V1");
    assert.deepEqual(gaps(fleet, loading), ["This page lists 5,000 vehicles. 1 more is not listed."]);
    assert.match(text("fleet.leftOutMany", { limit: 5000, count: 5000 }), /At least 5,000 more are not listed/);
});

test("Names are bounded, and a forgotten one makes room", () => {
    const loading = new Loading("obd");
    loading.opened(0);
    for (let index = 0; index < 3 * nameLimit; index += 1) loading.received(`V${index}`, "status", false, 1);
    assert.deepEqual([loading.names.size, loading.missing], [nameLimit, nameLimit]);
    loading.received("V7", "availability", false, 2, true);
    loading.received("never", "availability", false, 2, true);
    assert.deepEqual([loading.names.size, loading.missing], [nameLimit - 1, nameLimit - 1]);
    loading.received("late", "availability", false, 3);
    assert.ok(loading.names.has("late"));
});
