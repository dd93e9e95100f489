// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";

import * as csv from "../../../Console/model/csv.js";
import { Picture } from "../../../Console/model/picture.js";
import { finished, trip, tripLimit, trips } from "../../../Console/model/trip.js";

const bytes = (json) => new TextEncoder().encode(JSON.stringify(json));
const base = Date.parse("2026-11-21T10:00:00Z");
const event = (seq, minute, more = {}) => ({
    v: 1, agent: "a", epoch: 1, seq, time: new Date(base + minute * 60_000).toISOString(), clock: "synchronised", event: "trip",
    trip: { start: {}, end: {}, duration: 600, moving: 500, idling: 100, stopped: 0, unobserved: 0, distance: 7.5, ...more },
});

test("A trip has its start, its times in minutes, and the figures that are known", () => {
    const message = {
        time: "2026-11-21T10:01:30.000Z", clock: "synchronised", ongoing: true, totals: { trips: 3, distance: 12.5 },
        trip: { start: { time: "2026-11-21T10:00:00.000Z", odometer: 1000.5 }, duration: 90, moving: 60, distance: 1.25, fuel: "much", codes_appeared: ["P0301", 7] },
    };
    const found = trip(message);
    assert.deepEqual([found.start, found.end, found.asOf, found.isOngoing, found.isCertain], [base, undefined, base + 90_000, true, true]);
    assert.deepEqual(found.times, [{ name: "duration", value: 1.5, unit: "min" }, { name: "moving", value: 1, unit: "min" }]);
    assert.deepEqual(found.figures, [{ name: "distance", value: 1.25, unit: "km" }]);
    // The distance of all trips has the present one, so their number does, too.
    assert.deepEqual(found.totals, [{ name: "trips", value: 4, unit: "" }, { name: "distance", value: 12.5, unit: "km" }]);
    assert.equal(trip({ ...message, ongoing: false }).totals[0].value, 3);
    assert.deepEqual(found.ends[0], { name: "start", values: [{ name: "odometer", value: 1000.5, unit: "km" }], place: undefined });
    assert.deepEqual([found.appeared, found.gone, found.bands], [["P0301"], [], []]);
});

test("A trip tells how long a quantity was in which band, if that is whole", () => {
    const bands = (engine_speed) => finished(event(1, 10, { engine_speed })).bands;
    assert.deepEqual(bands({ bounds: [1000, 2000], seconds: [30, 60, 10] })[0].rows.map((row) => [row.from, row.to, row.share]),
        [[undefined, 1000, 0.3], [1000, 2000, 0.6], [2000, undefined, 0.1]]);
    for (const odd of [{ bounds: [1000], seconds: [1] }, { bounds: [], seconds: [0] }, { bounds: ["x"], seconds: [1, 2] }, 7]) assert.deepEqual(bands(odd), []);
});

test("What is no trip is none", () => {
    for (const message of [undefined, {}, { trip: [] }, { trip: { start: { time: 5 } } }]) assert.equal(trip(message), undefined);
    for (const other of [undefined, {}, { ...event(1, 10), event: "started" }, event(1, 10, { duration: -1 }), event(1, 10, { duration: 1e300 }), event(1, 10, { duration: "1" })]) {
        assert.equal(finished(other), undefined);
    }
});

test("Finished trips are kept once, the newest first, and only so many", () => {
    const picture = new Picture("V1");
    assert.equal(picture.receive("events", bytes(event(1, 10)), 0, false), "trips");
    assert.equal(picture.receive("events", bytes(event(1, 10)), 0, false), undefined);
    for (let seq = 2; seq <= tripLimit + 5; seq += 1) picture.receive("events", bytes(event(seq, seq * 20)), 0, false);
    assert.equal(picture.trips.length, tripLimit);
    assert.equal(picture.trips[0].id, `a/1/${tripLimit + 5}`);
    assert.equal(picture.trips[0].start, picture.trips[0].end - 600_000);
});

test("The trip of the topic comes first while it goes on, and once only when it is finished", () => {
    const seen = [finished(event(2, 60)), finished(event(1, 30))];
    const present = (minute, isOngoing) => ({ start: base + minute * 60_000, isOngoing });
    assert.deepEqual(trips(present(70, true), seen).map((one) => one.id), ["present", "a/1/2", "a/1/1"]);
    assert.deepEqual(trips(present(50, false), seen).map((one) => one.id), ["a/1/2", "a/1/1"]);
    assert.deepEqual(trips(present(50, false), []).map((one) => one.id), ["present"]);
    assert.deepEqual(trips(undefined, seen).length, 2);
});

test("The file has a row for each trip", () => {
    const text = csv.trips(new Picture("V1"), [finished(event(2, 60)), finished(event(1, 30, { fuel: 0.5 }))]);
    assert.deepEqual(text.split("\r\n"), [
        "vehicle,start,end,ongoing,duration,moving,idling,stopped,unobserved,distance,fuel",
        "V1,2026-11-21T10:50:00.000Z,2026-11-21T11:00:00.000Z,false,10,8.3,1.7,0,0,7.5,",
        "V1,2026-11-21T10:20:00.000Z,2026-11-21T10:30:00.000Z,false,10,8.3,1.7,0,0,7.5,0.5", "",
    ]);
});
