// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";

import { capture, captureLimit, ended, half } from "../../../Console/model/capture.js";
import * as csv from "../../../Console/model/csv.js";
import { Picture } from "../../../Console/model/picture.js";

const event = (seq, more = {}) => ({
    v: 1, agent: "a", epoch: 1, seq, time: "2026-11-21T10:00:00.000Z", clock: "synchronised", event: "capture",
    capture: {
        rule: "code", trigger: "code_appeared", code: "P0301", ecu: "7E8", before: 2, after: 1, ended: "complete",
        series: {
            fuel_level: { ecu: "7E8", scale: 0.5, dt: [0], dv: [80] },
            engine_speed: { ecu: "7E8", scale: 0.25, dt: [-2000, 2000, 1000], dv: [3200, 4, -4] },
        },
        ...more,
    },
});
const bytes = (json) => new TextEncoder().encode(JSON.stringify(json));

test("A capture has its points around the moment, the speeds first", () => {
    const found = capture(event(7));
    assert.equal(found.id, "a/1/7");
    assert.equal(half(found), 2000);
    assert.deepEqual(found.series.map((one) => one.name), ["engine_speed", "fuel_level"]);
    assert.deepEqual(found.series[0].points, [{ at: -2000, value: 800 }, { at: 0, value: 801 }, { at: 1000, value: 800 }]);
});

test("The lines of a capture end at its last reading, so also where the link was lost", () => {
    const found = capture(event(7, { ended: "link_lost" }));
    assert.deepEqual(ended(found, found.series[1]), [{ at: 0, value: 40, until: 1000 }]);
    assert.deepEqual(ended(found, found.series[0]).map((point) => point.until), [undefined, undefined, 1000]);
});

test("What is no capture is none, and a series with foreign values has no points", () => {
    for (const message of [undefined, {}, { event: "capture" }, { ...event(1), event: "started" }]) assert.equal(capture(message), undefined);
    const odd = event(1, { series: { engine_speed: { scale: 1, dt: ["x"], dv: [1] }, "<b>": { scale: 1, dt: [1], dv: [1] } } });
    assert.deepEqual(capture(odd).series, []);
});

test("A picture keeps the newest captures, each once", () => {
    const picture = new Picture("V1");
    for (let seq = 1; seq <= captureLimit + 5; seq += 1) picture.receive("events", bytes(event(seq)), 0, false);
    assert.equal(picture.receive("events", bytes(event(captureLimit + 5))), undefined);
    assert.equal(picture.receive("events", bytes({ event: "started" })), undefined);
    assert.equal(picture.captures.length, captureLimit);
    assert.equal(picture.captures[0].id, `a/1/${captureLimit + 5}`);
});

test("A capture that the agent sends again is among the others by its own time", () => {
    const picture = new Picture("V1");
    const at = (seq, minute) => bytes({ ...event(seq), time: `2026-11-21T10:${minute}:00.000Z` });
    for (const [seq, minute] of [[3, "30"], [4, "40"], [1, "10"], [2, "20"]]) {
        assert.equal(picture.receive("events", at(seq, minute), 0, false), "captures");
    }
    assert.deepEqual(picture.captures.map((one) => one.id), ["a/1/4", "a/1/3", "a/1/2", "a/1/1"]);
    for (let seq = 5; seq <= captureLimit + 4; seq += 1) picture.receive("events", at(seq, "50"), 0, false);
    assert.equal(picture.receive("events", at(1, "10"), 0, false), undefined);
    assert.ok(picture.captures.every((one) => one.moment === Date.parse("2026-11-21T10:50:00.000Z")));
});

test("The file has a row for each reading", () => {
    const rows = csv.captured(new Picture("V1"), capture(event(7))).split("\r\n");
    assert.equal(rows.length, 6);
    assert.equal(rows[1], "V1,2026-11-21T10:00:00.000Z,code,-2,2026-11-21T09:59:58.000Z,engine_speed,7E8,800");
});
