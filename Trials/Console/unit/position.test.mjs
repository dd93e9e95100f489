// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { position } from "../../../Console/model/position.js";
import { use } from "../../../Console/texts.js";
import { doubted } from "../../../Console/views/position.js";
import { age, isOld } from "../../../Console/views/when.js";

const json = (path) => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url)));
const [page, words] = [json("Console/texts/en.json"), json("docs/contract/words.en.json")];
const heads = { v: 1, time: "2026-11-21T10:00:00.000Z", clock: "synchronised", age: 0 };
const at = Date.parse(heads.time);
const place = { latitude: 52.51628, longitude: 13.3777, accuracy: 7.2 };

test("A position has its place, its error, and links for other programs", () => {
    assert.deepEqual(position({ ...heads, ...place, quality: "good" }), {
        quality: "good", time: at, isCertain: true, coordinates: "52.51628, 13.37770", latitude: 52.51628, longitude: 13.3777, accuracy: 8,
        links: {
            geo: "geo:52.51628,13.37770;u=8",
            map: "https://www.openstreetmap.org/?mlat=52.51628&mlon=13.37770#map=17/52.51628/13.37770",
        },
    });
    const south = position({ ...heads, quality: "stale", clock: "unsynchronised", latitude: -33.9, longitude: -0.000001 });
    assert.deepEqual([south.coordinates, south.accuracy, south.isCertain], ["-33.90000, 0.00000", undefined, false]);
    assert.equal(south.links.geo, "geo:-33.90000,0.00000");
});

test("A rough position has few digits and no link, and a zone neither", () => {
    const rough = position({ ...heads, quality: "good", latitude: 52.52, longitude: 13.38, accuracy: 1500 });
    assert.deepEqual([rough.coordinates, rough.accuracy, rough.links], ["52.52, 13.38", 1500, undefined]);
    const zone = position({ ...heads, ...place, quality: "withheld", zone: "home" });
    assert.deepEqual(zone, { quality: "withheld", time: at, isCertain: true, zone: "home" });
});

test("What is no position is none", () => {
    for (const message of [
        undefined, {}, [], { ...heads, quality: "withheld" }, { ...heads, quality: "withheld", zone: 7 }, { ...place, latitude: "52" },
        { ...place, latitude: 90.1 }, { ...place, longitude: -181 }, { latitude: 1 },
    ]) assert.equal(position(message), undefined, JSON.stringify(message));
    for (const accuracy of [-1, 1e300, "8", null]) assert.equal(position({ ...place, accuracy }).accuracy, undefined);
    assert.equal(position({ ...place }).quality, "unknown");
});

test("What keeps a position from being the present one is told, also by a word of a later version", () => {
    use("en", page, words);
    assert.match(doubted("stale"), /no fix/);
    assert.match(doubted("jumping"), /impossible/);
    for (const word of ["later", "constructor"]) assert.equal(doubted(word), word);
});

test("An age is told only if both clocks can be right", () => {
    use("en", page, words);
    assert.equal(age(at, true, at + 12_000), "12 s ago");
    assert.equal(age(at, true, at - 30_000), "just now");
    for (const unknown of [age(at, true, at - 61_000), age(at, false, at), age(undefined, true, at)]) assert.equal(unknown, "at an unknown time");
    assert.deepEqual([isOld(at, at + 149_000), isOld(at, at + 150_000), isOld(undefined, at)], [false, true, true]);
});
