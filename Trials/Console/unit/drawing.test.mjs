// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";

import { apart } from "../../../Console/model/apart.js";
import { grouped, readiness } from "../../../Console/model/codes.js";
import * as csv from "../../../Console/model/csv.js";
import { History } from "../../../Console/model/history.js";
import { shown } from "../../../Console/model/json.js";
import { Picture } from "../../../Console/model/picture.js";
import { arc, axes, fraction, summary, ticks, trace } from "../../../Console/model/plot.js";
import { word } from "../../../Console/texts.js";
import "./english.mjs";

test("Ticks are round and cover what is shown", () => {
    assert.deepEqual(ticks(0, 100), [0, 25, 50, 75, 100]);
    assert.deepEqual(ticks(812, 2970), [0, 1000, 2000, 3000]);
    assert.deepEqual(ticks(-0.3, 0.2), [-0.4, -0.2, 0, 0.2]);
    assert.ok(ticks(7, 7).length > 1);
});

const size = { from: 0, to: 100, width: 100, height: 10, low: 0, high: 10 };

test("A line is made of steps, from what was valid before it begins until now", () => {
    const points = [{ at: -50, value: 5 }, { at: -10, value: 0 }, { at: 50, value: 10 }, { at: 200, value: 99 }];
    assert.equal(trace(History.of(points), size).path, "M0 10H50V0H100");
    assert.deepEqual(trace(new History(), size), { path: "", area: "" });
});

test("A line ends where nothing is known, and goes on where something is measured again", () => {
    const points = [{ at: 10, value: 0, until: 30 }, { at: 20, value: 10, until: 40 }, { at: 60, value: 0, until: 80 }];
    const { path, area } = trace(History.of(points), { ...size, hasArea: true });
    assert.equal(path, "M10 10H20V0H40M60 10H80");
    assert.equal(area, "M10 10H20V0H40V10H10ZM60 10H80V10H60Z");
    // What ended before the time that is shown is not drawn, and needs no scale.
    assert.equal(trace(History.of(points), { ...size, from: 85, to: 185 }).path, "");
    assert.equal(History.of(points).extent(85, 185), undefined);
});

test("A line of many points is short, and keeps what is lowest and highest in each pixel", () => {
    const points = Array.from({ length: 3000 }, (_, index) => ({ at: index / 30, value: index === 1501 ? 10 : index === 1502 ? 0 : 5 }));
    const { path } = trace(History.of(points), size);
    assert.ok(path.length < 3000, String(path.length));
    assert.match(path, /V10V0V5/);
    // Gaps that nobody can see do not make it longer.
    const broken = points.map((point) => ({ ...point, until: point.at + 0.001 }));
    assert.ok(trace(History.of(broken), size).path.length < 3000);
});

test("Series with the same unit share an axis, in the user's units", () => {
    const speed = { history: History.of([{ at: 0, value: 0 }, { at: 50, value: 80 }]), unit: "km/h" };
    const other = { history: History.of([{ at: 0, value: 120 }]), unit: "km/h" };
    const engine = { history: History.of([{ at: 0, value: 800 }]), unit: "rpm", least: 1000 };
    const found = axes([speed, other, engine], { from: 0, to: 100, height: 100, units: "sent" });
    assert.deepEqual([...found.keys()], ["km/h", "rpm"]);
    assert.deepEqual(found.get("km/h").labels.map((one) => one.value), [0, 50, 100, 150]);
    assert.equal(found.get("km/h").y(75), 50);
    const labels = found.get("rpm").labels;
    assert.ok(labels.at(-1).value - labels[0].value >= 1000);
    const imperial = axes([speed], { from: 0, to: 100, height: 100, units: "us" }).get("km/h");
    assert.deepEqual(imperial.labels.map((one) => one.value), [0, 20, 40, 60]);
    assert.equal(imperial.y(80.4672), 16.7);
    assert.equal(axes([{ history: new History(), unit: "V" }], { from: 0, to: 100, height: 100, units: "sent" }).get("V").labels, undefined);
});

test("An axis shows a limit that is near, and none that is far away", () => {
    const history = History.of([{ at: 0, value: 90 }, { at: 1, value: 100 }]);
    const top = (value) => axes([{ history, unit: "°C", least: 10, lines: [{ value }] }], { from: 0, to: 10, height: 100, units: "sent" }).get("°C").high;
    assert.ok(top(110) >= 110);
    assert.ok(top(500) < 120);
});

test("Labels keep apart, in their order and within the plot", () => {
    assert.deepEqual(apart([40, 10, 90], 13, [5, 120]), [40, 10, 90]);
    // The limits of a gauge, 105 and 115, on a scale that is not much larger.
    assert.deepEqual(apart([20, 24], 13, [5, 120]), [20, 33]);
    assert.deepEqual(apart([118, 119, 2], 13, [5, 120]), [107, 120, 5]);
    assert.deepEqual(apart([], 13, [5, 120]), []);
});

test("A gauge stays on its scale", () => {
    assert.deepEqual([fraction(-5, [0, 10]), fraction(5, [0, 10]), fraction(50, [0, 10])], [0, 0.5, 1]);
    assert.match(arc(1, 40), /^M-34\.64 20\.00A40 40 0 1 1 34\.64 20\.00$/);
});

test("A summary tells what a plot shows", () => {
    const rows = summary(History.of([{ at: 0, value: 3 }, { at: 5, value: 9 }, { at: 60, value: 4 }]), { from: 0, to: 100, rows: 2 });
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
    assert.deepEqual(groups[1].entries[0].frame, [
        { name: "engine_speed", value: 1513.75, label: undefined, unit: "rpm" }, { name: "fuel", value: 1, label: "open loop", unit: undefined },
    ]);
    assert.deepEqual(readiness({ monitors: { misfire: "complete", evap: "incomplete" } }).map((one) => one.name), ["evap", "misfire"]);
});
