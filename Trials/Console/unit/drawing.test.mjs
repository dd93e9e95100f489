// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { grouped, readiness } from "../../../Console/model/codes.js";
import * as csv from "../../../Console/model/csv.js";
import { shown } from "../../../Console/model/json.js";
import { Picture } from "../../../Console/model/picture.js";
import { arc, fraction, plot, range, summary, ticks } from "../../../Console/model/plot.js";
import * as texts from "../../../Console/texts.en.js";

test("Ticks are round and cover what is shown", () => {
    assert.deepEqual(ticks(0, 100), [0, 25, 50, 75, 100]);
    assert.deepEqual(ticks(812, 2970), [0, 1000, 2000, 3000]);
    assert.deepEqual(ticks(-0.3, 0.2), [-0.4, -0.2, 0, 0.2]);
    assert.ok(ticks(7, 7).length > 1);
});

test("A plot is made of steps, from what was valid before it begins until now", () => {
    const points = [{ at: -50, value: 5 }, { at: -10, value: 0 }, { at: 50, value: 10 }, { at: 200, value: 99 }];
    const { path, labels, last } = plot(points, { from: 0, to: 100, width: 100, height: 10, least: 0 });
    assert.equal(path, "M0 10H50V0H100");
    assert.deepEqual(labels[0], { value: 0, y: 10 });
    assert.deepEqual(last, { x: 100, y: 0 });
    assert.equal(plot([], { from: 0, to: 100, width: 100, height: 10 }).path, "");
});

test("A plot ends where nothing is known, and goes on where something is measured again", () => {
    const points = [{ at: 10, value: 0, until: 30 }, { at: 20, value: 10, until: 40 }, { at: 60, value: 0, until: 80 }];
    const size = { from: 0, to: 100, width: 100, height: 10, least: 0 };
    const { path, area, last } = plot(points, size);
    assert.equal(path, "M10 10H20V0H40M60 10H80");
    assert.equal(area, "M10 10H20V0H40V10H10ZM60 10H80V10H60Z");
    assert.equal(last, undefined);
    assert.deepEqual(plot(points, { ...size, to: 70, width: 70 }).last, { x: 70, y: 10 });
    // What ended before the time that is shown is not drawn, and needs no scale.
    assert.deepEqual(plot(points, { ...size, from: 85, to: 185 }), { path: "", area: "", labels: [], last: undefined });
});

test("A plot of what hardly changes does not make a mountain of it", () => {
    const { labels } = plot([{ at: 0, value: 90 }, { at: 1, value: 90.4 }], { from: 0, to: 10, width: 100, height: 10, least: 30 });
    assert.ok(labels.at(-1).value - labels[0].value >= 30);
});

test("A gauge stays on its scale", () => {
    assert.deepEqual([fraction(-5, [0, 10]), fraction(5, [0, 10]), fraction(50, [0, 10])], [0, 0.5, 1]);
    assert.deepEqual(range("engine_speed", "rpm", { isDiesel: true }), [0, 5500]);
    assert.deepEqual(range("engine_speed", "rpm"), [0, 8000]);
    assert.deepEqual(range("fuel_level", "%"), [0, 100]);
    assert.equal(range("short_term_fuel_trim_bank_1", "%"), undefined);
    assert.equal(range("mass_air_flow", "g/s"), undefined);
    assert.equal(range("constructor", "rpm"), undefined);
    assert.match(arc(1, 40), /^M-34\.64 20\.00A40 40 0 1 1 34\.64 20\.00$/);
});

test("A summary tells what a plot shows", () => {
    const rows = summary([{ at: 0, value: 3 }, { at: 5, value: 9 }, { at: 60, value: 4 }], { from: 0, to: 100, rows: 2 });
    assert.deepEqual(rows, [{ start: 0, end: 50, lowest: 3, highest: 9, last: 9 }, { start: 50, end: 100, lowest: 4, highest: 4, last: 4 }]);
});

test("Numbers are as long as they help, and other values are words", () => {
    assert.deepEqual([0, 2553.25, 14.18, 0.1234, true, ["a", "b"], undefined, null].map(shown), ["0", "2553", "14.2", "0.12", "yes", "a, b", "", ""]);
});

test("CSV quotes what it must, and no text is a formula", () => {
    assert.equal(csv.csv([["a", 'b"c', "d,e", "f\ng", -7, "-7", "=1+1", undefined, ["x", "y"]]]), 'a,"b""c","d,e","f\ng",-7,\'-7,\'=1+1,,x y\r\n');
    const picture = new Picture("V1");
    const say = (second, value) => picture.receive("parameters/engine_speed/7E9",
        new TextEncoder().encode(JSON.stringify({ value, unit: "rpm", ecu: "7E9", quality: "good", time: `2026-11-22T10:00:0${second}.000Z` })), 0, false);
    say(1, 800);
    say(2, 900);
    assert.equal(csv.histories(picture, ["engine_speed/7E9"], Date.parse("2026-11-22T10:00:02Z")),
        "vehicle,time,parameter,ecu,value,unit\r\nV1,2026-11-22T10:00:02.000Z,engine_speed,7E9,900,rpm\r\n");
    assert.match(csv.values(picture), /V1,2026-11-22T10:00:02.000Z,engine_speed,7E9,900,rpm,,good\r\n$/);
});

test("Codes are grouped, and what an ECU stored with one is told", () => {
    const groups = grouped({
        codes: [
            { code: "P0420", ecu: "7E8", states: ["permanent", "stored"], category: "powertrain", group: "emission_controls" },
            { code: "P0301", ecu: "7E8", states: ["stored"], category: "powertrain", group: "ignition",
                freeze_frame: { values: { engine_speed: { value: 1513.75, unit: "rpm" }, fuel: { value: 1, label: "open loop" } }, unread: ["x"] } },
            { code: 7 }, null, "P0301",
        ],
    });
    assert.deepEqual(groups.map((group) => group.name), ["powertrain:emission_controls", "powertrain:ignition"]);
    assert.deepEqual(groups[0].entries[0].states, ["stored", "permanent"]);
    assert.deepEqual(groups[1].entries[0].frame, [{ name: "engine_speed", value: "1514", unit: "rpm" }, { name: "fuel", value: "open loop", unit: "" }]);
    assert.deepEqual(readiness({ monitors: { misfire: "complete", evap: "incomplete" } }).map((one) => one.name), ["evap", "misfire"]);
});

test("Every reason of the contract has words", () => {
    const schema = JSON.parse(readFileSync(new URL("../../../docs/contract/response.schema.json", import.meta.url)));
    for (const reason of schema.properties.reason.enum.filter(Boolean)) assert.ok(texts.reasons[reason], reason);
});
