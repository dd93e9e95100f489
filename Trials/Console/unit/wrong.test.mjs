// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";

import { hindrance } from "../../../Console/model/clear.js";
import { grouped } from "../../../Console/model/codes.js";
import * as csv from "../../../Console/model/csv.js";
import { event } from "../../../Console/model/events.js";
import { brief, shown, text } from "../../../Console/model/json.js";
import { Picture } from "../../../Console/model/picture.js";
import { samples, telemetry } from "../../../Console/model/telemetry.js";
import "./english.mjs";

const bytes = (value) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
const base = Date.parse("2026-11-22T10:00:00.000Z");
const deep = JSON.parse("[".repeat(20_000) + "]".repeat(20_000));
const odd = [{ toString: 1, valueOf: 2 }, deep, { a: deep }, [[["a"]]], Array.from({ length: 900 }, () => "x".repeat(900)), "y".repeat(9000), 1e308, NaN, undefined, null, false];

test("Any value can be shown, and written into a file, in a bounded text", () => {
    for (const value of odd) {
        assert.ok(shown(value).length <= 501, String(shown(value).length));
        assert.ok(csv.cell(value).length < 30_000);
    }
    assert.deepEqual([{ a: 1 }, ["a", ["b", ["c"]]], "x".repeat(501)].map((value) => shown(value)), ["…", "a, b, …", `${"x".repeat(500)}…`]);
    assert.equal(shown(Array.from({ length: 51 }, (_, index) => index)).slice(-9), "48, 49, …");
    assert.deepEqual([csv.cell(true), csv.cell(["x", 2.12345]), csv.cell({})], ["true", "x 2.12345", "…"]);
});

test("Signs that turn the order of letters are left out, and a text is cut", () => {
    assert.equal(text("rtl\u202egnp.evil\u2066"), "rtlgnp.evil");
    assert.deepEqual([brief("abc", 2), brief("ab", 2), brief(7)], ["ab…", "ab", undefined]);
    const long = "d".repeat(200_000);
    const found = event({ agent: "a", epoch: 1, seq: 1, time: "2026-11-22T10:00:00.000Z", event: "code_appeared", description: long, states: [long], code: long }, "V1");
    assert.ok([found.description, found.code, ...found.states].every((one) => one.length === 301));
    const [{ entries: [entry] }] = grouped({ codes: [{ code: "P0301", description: long, states: Array(900).fill(long) }] });
    assert.deepEqual([entry.description.length, entry.states.length], [501, 50]);
    const picture = new Picture("V1");
    picture.receive("parameters/a", bytes({ value: 1, label: long, unit: long }), base, false);
    assert.deepEqual([picture.parameters.get("a").label.length, picture.parameters.get("a").unit.length], [501, 501]);
});

test("A time that no date can have is none", () => {
    assert.deepEqual(samples({ dt: [0, 1e300], dv: [1, 1], scale: 1 }, base), []);
    const record = { agent: "a", epoch: 1, seq: 1, t0: "2026-11-22T10:00:00.000Z", clock: "synchronised", track: { dt: [1e300], polyline: "_p~iF~ps|U" } };
    assert.deepEqual(telemetry(record).track, []);
    assert.deepEqual(telemetry({ ...record, track: { ...record.track, dt: [1] } }).track.length, 1);
    const picture = new Picture("V1");
    assert.match(csv.trips(picture, [{ start: 1e300, end: base, isOngoing: false, times: [], figures: [] }]), /V1,,2026-11-22T10:00:00\.000Z/);
});

test("Nothing is cleared while the page cannot see it, or when there are other codes than the user was asked about", () => {
    const codes = (second, ...names) => ({ v: 1, time: `2026-11-22T10:00:0${second}.000Z`, known: true, codes: names.map((code) => ({ code, ecu: "7E8", states: ["stored"] })) });
    const report = codes(5, "P0301");
    const picture = new Picture("V1");
    const found = (isConnected = true) => hindrance(picture, { isConnected, report }, base);
    assert.deepEqual(hindrance(undefined, { isConnected: true, report }, base), { state: "offline" });
    picture.receive("availability", bytes("online"), base, false);
    assert.deepEqual([found(), found(false)], [undefined, { state: "lost" }]);
    // The report on the topic may be an older one than the answer.
    picture.receive("codes", bytes(codes(4)), base, false);
    assert.equal(found(), undefined);
    picture.receive("codes", bytes(codes(6, "P0301")), base, false);
    assert.equal(found(), undefined);
    picture.receive("codes", bytes(codes(7, "P0301", "P0420")), base, false);
    assert.deepEqual(found(), { state: "changed" });
    picture.receive("codes", bytes(codes(8, "P0301")), base, false);
    picture.receive("status", bytes({ link: "connected", ignition: "running" }), base, false);
    assert.deepEqual(found(), { reason: "engine_running" });
    picture.receive("availability", bytes("offline"), base, false);
    assert.deepEqual(found(), { state: "offline" });
});
