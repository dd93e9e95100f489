// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";

import { event, eventLimit, EventLog, portion, totalLimit } from "../../../Console/model/events.js";
import { burst, kinds, newsAge, Notices, span } from "../../../Console/model/notices.js";

const base = Date.parse("2026-11-22T10:00:00.000Z");
const at = (milliseconds) => new Date(base + milliseconds).toISOString();
const body = (seq, more = {}) => ({
    v: 1, agent: "00000000000a", epoch: 7, seq, time: at(seq * 1000), clock: "synchronised", event: "code_appeared", code: "P0301", ecu: "7E8",
    description: "Misfire in cylinder 1", states: ["stored"], ...more,
});

test("An event keeps only its small members", () => {
    const found = event(body(3, { event: "capture", code: undefined, capture: { rule: "code", trigger: "code_appeared", code: "P0301", series: { a: { dt: [1] } } } }), "V1");
    assert.deepEqual([found.vehicle, found.kind, found.name, found.reason, found.trigger], ["V1", "capture", "code", "P0301", "code_appeared"]);
    assert.ok(!("capture" in found) && !JSON.stringify(found).includes("dt"));
    assert.equal(event(body(4, { event: "limit_exceeded", limit: { name: "hot", when: "a > 1", values: {} } }), "V1").name, "hot");
    assert.equal(event(body(5, { clock: "unsynchronised" }), "V1").isCertain, false);
});

test("A payload that is no event is none", () => {
    for (const wrong of [undefined, null, 7, "x", [], {}, body(1, { event: 7 }), body("1"), body(1, { epoch: undefined }), body(1, { time: "soon" })]) {
        assert.equal(event(wrong, "V1"), undefined, JSON.stringify(wrong));
    }
    assert.equal(event(body(1, { event: "constructor" }), "V1").tone, "rest");
});

test("Each event is listed once, the newest first, whenever it comes", () => {
    const log = new EventLog();
    for (const seq of [2, 5, 5, 1, 4]) log.receive("V1", body(seq));
    assert.deepEqual(log.of("V1").map((one) => one.seq), [5, 4, 2, 1]);
    assert.equal(log.receive("V1", body(4)), undefined);
    // The clock was set between two events; their numbers tell their order.
    log.receive("V1", body(6, { time: at(-9e6) }));
    assert.equal(log.of("V1")[0].seq, 6);
    assert.deepEqual(log.of("V2"), []);
});

test("The lists of events are bounded, and the vehicle that was silent for the longest time goes first", () => {
    const log = new EventLog();
    for (let seq = 1; seq <= eventLimit + 50; seq += 1) log.receive("V1", body(seq));
    assert.equal(log.of("V1").length, eventLimit);
    assert.equal(log.of("V1")[0].seq, eventLimit + 50);
    // An older one than all that are kept is not new.
    assert.equal(log.receive("V1", body(1)), undefined);
    for (let vehicle = 2; vehicle <= 30; vehicle += 1) for (let seq = 1; seq <= 100; seq += 1) log.receive(`V${vehicle}`, body(seq));
    assert.ok(log.count <= totalLimit);
    assert.equal(log.count, [...log.lists.values()].reduce((sum, list) => sum + list.length, 0));
    assert.deepEqual(log.of("V1"), []);
    assert.equal(log.of("V30").length, 100);
});

test("Earlier events are asked for in portions, from the newest on, for each vehicle", () => {
    const log = new EventLog();
    const status = { acknowledged: { epoch: 7, events: 120, telemetry: 9 } };
    const order = log.earlier("V1").next(status);
    // The status may be a minute old: through the last one.
    assert.deepEqual(order, { stream: "events", epoch: 7, from: 120 - portion + 1 });
    log.earlier("V1").received(order, { records: portion, last: 120 });
    assert.deepEqual(log.earlier("V1").next(status), { stream: "events", epoch: 7, from: 120 - 2 * portion + 1, to: 120 - portion });
    assert.deepEqual(log.earlier("V2").next(status), order);
    assert.equal(log.earlier("V3").next({}), undefined);
    assert.deepEqual(log.earlier("V3").next({ acknowledged: { epoch: 2, events: 0 } }), { stream: "events", epoch: 2, from: 1 });
});

const found = (seq, more) => event(body(seq, more), "V1");

test("Nothing notifies until the user wants it, and then only the wanted kinds", () => {
    const notices = new Notices();
    assert.equal(notices.receive(found(1), base), undefined);
    notices.isOn = true;
    assert.equal(notices.receive(found(1), base).event.code, "P0301");
    assert.equal(notices.receive(found(2, { event: "connected" }), base), undefined);
    assert.equal(notices.receive(found(3, { event: "trip" }), base), undefined);
    notices.choose("trip", true);
    assert.equal(notices.receive(found(3, { event: "trip" }), base).event.kind, "trip");
    notices.choose("code_appeared", false);
    assert.equal(notices.receive(found(4), base), undefined);
    notices.choose("connected", true);
    assert.ok([...notices.kinds].every((kind) => kinds.includes(kind)));
});

test("What was sent again or is a day old is no news", () => {
    const notices = new Notices();
    notices.isOn = true;
    assert.equal(notices.receive(found(1), base, { isAgain: true }), undefined);
    assert.equal(notices.receive(found(1), base + newsAge + 1001), undefined);
    assert.ok(notices.receive(found(1), base + newsAge));
});

test("A flood of events makes a bounded number of notifications, and the rest is counted", () => {
    const notices = new Notices();
    notices.isOn = true;
    const shown = Array.from({ length: 100 }, (_, index) => notices.receive(found(index + 1), base + index));
    assert.equal(shown.filter((one) => one.event).length, burst);
    assert.equal(shown.at(-1).count, 100 - burst);
    // Later there is room again.
    assert.ok(notices.receive(found(200), base + 200 + span).event);
    assert.equal(notices.kept, 0);
    assert.ok(notices.shown.length <= burst);
});
