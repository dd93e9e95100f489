// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";

import * as csv from "../../../Console/model/csv.js";
import { Earlier, portion } from "../../../Console/model/earlier.js";
import { Picture } from "../../../Console/model/picture.js";
import { coordinates, inflate, lacksInflation, samples, telemetry } from "../../../Console/model/telemetry.js";
import { distance, map, paths, pointLimit, stops, Track, way } from "../../../Console/model/track.js";

const bytes = (value) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
const base = Date.parse("2026-11-21T10:00:00.000Z");
const record = (more = {}) => ({ v: 1, agent: "a", epoch: 1, seq: 1, boot: "b", clock: "synchronised", t0: "2026-11-21T10:00:00.000Z", series: {}, ...more });
/** A point of a track some meters north of a place in Berlin. */
const point = (seconds, meters, more = {}) => ({ latitude: 52.5 + meters / 111_195, longitude: 13.4, at: base + seconds * 1000, isGap: false, ...more });

test("An encoded polyline has its coordinates", () => {
    assert.deepEqual(coordinates("_p~iF~ps|U_ulLnnqC_mqNvxq`@"), [
        { latitude: 38.5, longitude: -120.2 }, { latitude: 40.7, longitude: -120.95 }, { latitude: 43.252, longitude: -126.453 },
    ]);
    for (const odd of ["", "_p~iF", "_p~iF~ps|", "\u00ff\u00ff", "_p~iF ~ps|U", "~~~~~~~~~~~~~", "zzzzzzzzzz?"]) assert.deepEqual(coordinates(odd), [], odd);
});

test("A record has its samples and its part of the track, each with its time", () => {
    const found = telemetry(record({
        series: { engine_speed: { ecu: "7E8", scale: 0.25, dt: [0, 500], dv: [3200, 4] }, "<b>": { scale: 1, dt: [1], dv: [1] }, odd: { scale: 1, dt: ["x"], dv: [1] } },
        track: { dt: [-30, 20], polyline: "_p~iF~ps|U_ulLnnqC", gaps: [0] },
    }));
    assert.deepEqual(found.series, [{ name: "engine_speed", ecu: "7E8", points: [{ at: base, value: 800 }, { at: base + 500, value: 801 }] }]);
    assert.deepEqual(found.track.map((one) => [one.at - base, one.latitude, one.isGap]), [[-30_000, 38.5, true], [-10_000, 40.7, false]]);
    assert.deepEqual(telemetry(record({ track: { dt: [1], polyline: "_p~iF~ps|U_ulLnnqC" } })).track, []);
    for (const none of [undefined, [], {}, record({ clock: "unsynchronised" }), record({ t0: 5 }), record({ seq: "1" })]) assert.equal(telemetry(none), undefined);
    assert.deepEqual(samples({ dt: [1], dv: [1] }, 0), []);
});

test("A compressed record is read, unless it is too large or none", async () => {
    const text = JSON.stringify(record());
    assert.equal(new TextDecoder().decode(await inflate(deflateSync(text))), text);
    assert.equal(await inflate(deflateSync("x".repeat(5000)), 4000), undefined);
    assert.equal(await inflate(bytes("no zlib")), undefined);
});

test("A browser that cannot unpack a compressed record tells so", async () => {
    const { DecompressionStream: unpacker } = globalThis;
    assert.equal(lacksInflation(), false);
    delete globalThis.DecompressionStream;
    try {
        assert.equal(await inflate(deflateSync("{}")), undefined);
    } finally {
        globalThis.DecompressionStream = unpacker;
    }
    assert.equal(lacksInflation(), true);
});

test("A picture fills its histories with what was recorded before, in the unit of its values", () => {
    const picture = new Picture("V1");
    const say = (path, payload) => picture.receive(path, bytes(payload), base + 60_000, false);
    const heads = { quality: "good", time: "2026-11-21T10:01:00.000Z" };
    say("parameters/coolant_temperature", { ...heads, value: 194, unit: "°F" });
    say("parameters/engine_speed", { ...heads, value: 900, unit: "rpm" });
    say("parameters/manifold", { ...heads, value: 20, unit: "inHg" });
    const one = (scale, step) => ({ scale, dt: [0], dv: [step] });
    assert.equal(say("telemetry", record({ series: { coolant_temperature: one(1, 80), engine_speed: one(1, 800), manifold: one(1, 50), unknown: one(1, 1) } })), "telemetry");
    assert.deepEqual(picture.histories.get("engine_speed").points.map((entry) => entry.value), [800, 900]);
    assert.deepEqual(picture.histories.get("coolant_temperature").points.map((entry) => entry.value), [176, 194]);
    // Nobody can tell what kPa is in a unit that the page does not convert to.
    assert.equal(picture.histories.get("manifold").length, 1);
    assert.ok(!picture.histories.has("unknown"));
    picture.forget();
    assert.equal(picture.histories.size, 0);
});

test("A recorded part replaces the positions of its time, and parts come in any order", () => {
    const track = new Track();
    for (const seconds of [0, 10, 20, 30, 40]) track.see({ quality: "good", isCertain: true, time: base + seconds * 1000, latitude: 52.5, longitude: 13.4 });
    track.record([point(0, 0, { isGap: true }), point(25, 100)]);
    assert.deepEqual(track.points.map((one) => [(one.at - base) / 1000, one.isRecorded]), [[0, true], [25, true], [30, false], [40, false]]);
    track.record([point(-60, 0), point(-30, 50)]);
    track.record([point(-60, 0), point(-30, 50)]);
    assert.deepEqual(track.points.map((one) => (one.at - base) / 1000), [-60, -30, 0, 25, 30, 40]);
    track.record(Array.from({ length: pointLimit + 10 }, (_, index) => point(100 + index, index)));
    assert.equal(track.points.length, pointLimit);
});

test("No line leads over a gap, a missing record, or a zone", () => {
    const track = new Track();
    track.record([point(0, 0, { isGap: true }), point(30, 300), point(60, 600, { isGap: true }), point(90, 900), point(300, 5000), point(3000, 5001)]);
    assert.deepEqual(track.between(-Infinity, Infinity).map((one) => one.isJoined), [false, true, false, true, false, true]);
    const seen = { quality: "good", isCertain: true, latitude: 52.6, longitude: 13.4 };
    track.see({ ...seen, time: base + 3010_000 });
    track.see({ quality: "withheld", isCertain: true, zone: "home", time: base + 3020_000 });
    track.see({ quality: "withheld", isCertain: true, zone: "home", time: base + 3080_000 });
    track.see({ ...seen, time: base + 3090_000 });
    assert.deepEqual(track.zones, [{ name: "home", at: base + 3020_000, until: base + 3080_000 }]);
    assert.equal(track.between(base + 3005_000, Infinity).at(-1).isJoined, false);
    const { version } = track;
    for (const doubt of [{ quality: "stale" }, { accuracy: 1500 }, { isCertain: false }, { time: base }]) track.see({ ...seen, time: base + 4000_000, ...doubt });
    track.see(undefined);
    assert.equal(track.version, version);
});

test("A stop is where the vehicle stood for two minutes", () => {
    const track = new Track();
    track.record([point(0, 0), point(30, 400), point(60, 410), point(190, 405), point(220, 900), point(250, 905)]);
    const points = track.between(-Infinity, Infinity);
    assert.deepEqual(stops(points).map((one) => [(one.at - base) / 1000, (one.until - base) / 1000]), [[30, 190]]);
    assert.ok(Math.abs(way(points) - 915) < 1, String(way(points)));
});

test("A map shows all points, north up, with a round scale", () => {
    const places = [{ latitude: 52.5, longitude: 13.4 }, { latitude: 52.51, longitude: 13.41 }];
    const { x, y, meters, pixels } = map(places, { width: 400, height: 300, margin: 30 });
    assert.ok(x(places[0]) < x(places[1]) && y(places[0]) > y(places[1]));
    for (const place of places) assert.ok(x(place) >= 30 && x(place) <= 370 && y(place) >= 30 && y(place) <= 270);
    assert.equal(meters, 200);
    const length = Math.hypot(x(places[1]) - x(places[0]), y(places[1]) - y(places[0]));
    assert.ok(Math.abs(length / pixels * meters - distance(...places)) < 5);
    // Over the date line, and of a vehicle that stands.
    const pacific = [{ latitude: 0, longitude: 179.999 }, { latitude: 0, longitude: -179.999 }];
    const wide = map(pacific, { width: 400, height: 300, margin: 30 });
    assert.ok(wide.x(pacific[1]) > wide.x(pacific[0]) && wide.meters < 200);
    const still = map([places[0]], { width: 400, height: 300, margin: 30, unit: 1609.344 });
    assert.deepEqual([still.x(places[0]), still.y(places[0])], [200, 150]);
    assert.ok(Math.abs(still.meters / 1609.344 - 0.05) < 1e-9);
});

test("The way is drawn as it is known: recorded, or roughly from position to position", () => {
    const points = [
        { ...point(0, 0), isJoined: false, isRecorded: true }, { ...point(10, 100), isJoined: true, isRecorded: true }, { ...point(11, 100.1), isJoined: true, isRecorded: true },
        { ...point(20, 200), isJoined: true, isRecorded: false }, { ...point(90, 300), isJoined: false, isRecorded: false },
    ];
    const { recorded, rough } = paths(points, { x: () => 5, y: (one) => Math.round((one.latitude - 52.5) * 111_195) });
    assert.equal(recorded, "M5 0L5 100L5 100");
    assert.equal(rough, "M5 100L5 200");
});

test("The file of the track tells what follows a gap", () => {
    const track = new Track();
    track.record([point(0, 0, { isGap: true }), point(30, 0)]);
    assert.equal(csv.track(new Picture("V1"), track.between(-Infinity, Infinity)), [
        "vehicle,time,latitude,longitude,follows_gap,recorded", "V1,2026-11-21T10:00:00.000Z,52.5,13.4,true,true", "V1,2026-11-21T10:00:30.000Z,52.5,13.4,false,true", "",
    ].join("\r\n"));
});

test("Earlier records are asked for from the newest on, epoch by epoch", () => {
    const earlier = new Earlier();
    assert.equal(earlier.next({}), undefined);
    const status = { acknowledged: { epoch: 2, telemetry: 200, events: 3, responses: 0 } };
    const first = earlier.next(status);
    // The status may be a minute old: through the last one.
    assert.deepEqual(first, { stream: "telemetry", epoch: 2, from: 201 - portion });
    assert.equal(earlier.received(first, { records: 180, last: 205 }), true);
    const second = earlier.next(status);
    assert.deepEqual([second.from, second.to], [1, 20]);
    assert.equal(earlier.received(second, { records: 0, last: 205 }), false);
    const question = earlier.next(status);
    assert.deepEqual([question.epoch, question.to], [1, undefined]);
    assert.equal(earlier.received(question, { records: 0, last: 7 }), false);
    const third = earlier.next(status);
    assert.deepEqual(third, { stream: "telemetry", epoch: 1, from: 1, to: 7 });
    earlier.received(third, { records: 7, last: 7 });
    assert.equal(earlier.next(status), undefined);
    assert.ok(earlier.isOver);
});
