// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";

import { trip } from "../../../Console/model/trip.js";
import { trip as texts } from "../../../Console/texts.en.js";

test("A trip has its start, its times in minutes, and the figures that are known", () => {
    const message = {
        time: "2026-11-21T10:01:30.000Z", clock: "synchronised", ongoing: true, totals: { trips: 3, distance: 12.5 },
        trip: { start: { time: "2026-11-21T10:00:00.000Z" }, duration: 90, moving: 60, distance: 1.25, fuel: "much" },
    };
    assert.deepEqual(trip(message), {
        start: Date.parse("2026-11-21T10:00:00Z"), asOf: Date.parse("2026-11-21T10:01:30Z"), isOngoing: true, isCertain: true,
        times: [{ name: "duration", value: 1.5, unit: "min" }, { name: "moving", value: 1, unit: "min" }],
        figures: [{ name: "distance", value: 1.25, unit: "km" }],
        totals: [{ name: "distance", value: 12.5, unit: "km" }],
    });
});

test("A trip without news tells the age of the last one", () => {
    assert.equal(texts.from("then", true, true, undefined), "Since then");
    assert.equal(texts.from("then", true, true, "8 min ago"), "Since then; last news: 8 min ago");
});

test("What is no trip is none", () => {
    for (const message of [undefined, {}, { trip: [] }, { trip: { start: { time: 5 } } }]) assert.equal(trip(message), undefined);
});
