// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";

import { Picture } from "../../../Console/model/picture.js";
import { useUnits } from "../../../Console/model/units.js";
import "./english.mjs";
import "./document.mjs";
import { eventWords } from "../../../Console/views/events.js";
import { report } from "../../../Console/views/report.js";
import { figureWords } from "../../../Console/views/trip.js";

const base = Date.parse("2026-11-26T10:00:00.000Z");
const bytes = (json) => new TextEncoder().encode(JSON.stringify(json));
const words = (name, value, unit = "") => figureWords({ name, value, unit });

test("The figures of a trip have the digits that a person can use, in the user's units", () => {
    assert.deepEqual([words("distance", 2.2853, "km"), words("mean_speed", 71.6937, "km/h"), words("fuel_consumption", 7.4, "L/100 km")],
        ["2.29 km", "72 km/h", "7.4 L/100 km"]);
    useUnits("british");
    assert.deepEqual([words("distance", 2.2853, "km"), words("maximum_speed", 71.6937, "km/h"), words("fuel_consumption", 7.4, "L/100 km")],
        ["1.42 mi", "45 mph", "38.2 mpg(UK)"]);
    assert.deepEqual([words("odometer", 111870.07, "km"), words("coolant_temperature", 32.4, "°C"), words("fuel", 0.17, "L")], ["69,512.8 mi", "32 °C", "0.17 L"]);
    useUnits("us");
    assert.deepEqual([words("coolant_temperature", 32, "°C"), words("fuel", 0.17, "L"), words("fuel_consumption", 7.4, "L/100 km")], ["90 °F", "0.04 gal(US)", "31.8 mpg(US)"]);
    const event = { kind: "trip", states: [], distance: 16.09344, duration: 600 };
    assert.match(eventWords(event).details, /10 mi$/);
    useUnits("sent");
    assert.match(eventWords(event).details, /16\.1 km$/);
    assert.deepEqual([words("over_speed", 7), words("harsh_braking", 1)], ["7 times", "once"]);
});

test("The report for the workshop has the captures and the last trip", () => {
    const picture = new Picture("V1");
    const about = { v: 1, agent: "a", epoch: 1, clock: "synchronised" };
    const text = () => report(picture, { isConnected: true, now: base, printed: base }).textContent;
    assert.doesNotMatch(text(), /Captures|Last trip/);
    picture.receive("events", bytes({ ...about, seq: 1, time: "2026-11-26T09:30:00.000Z", event: "trip", trip: { duration: 600, distance: 7.5, codes_appeared: ["P0302"] } }), base, false);
    picture.receive("events", bytes({ ...about, seq: 2, time: "2026-11-26T09:25:00.000Z", event: "capture", capture: {
        rule: "code", trigger: "code_appeared", code: "P0302", ecu: "7E8", before: 1, after: 1, ended: "complete",
        series: { engine_speed: { ecu: "7E8", dt: [-1000, 500, 1000], dv: [800, 100, 1600], scale: 1 } },
    } }), base, false);
    assert.match(text(), /CapturesP0302 appeared in 7E8as of .*Engine speed900 rpm800 rpm2,500 rpm/);
    assert.match(text(), /Last tripas of .*Distance7\.5 km.*Codes that appeared: P0302/);
});
