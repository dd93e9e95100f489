// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";

import { around, least, marks, most, TimeAxis } from "../../../Console/model/axis.js";
import { Boost, boostOrder } from "../../../Console/model/boost.js";
import { History, limit } from "../../../Console/model/history.js";
import { moments } from "../../../Console/model/moments.js";
import { Picture } from "../../../Console/model/picture.js";
import { overlayLimit, plotLimit, Plots } from "../../../Console/model/plots.js";
import { comparisons, thresholds } from "../../../Console/model/thresholds.js";

const bytes = (value) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));

test("A history knows a value until the next one or until its end, and nothing in a gap", () => {
    const history = History.of([{ at: 10, value: 1, until: 30 }, { at: 20, value: 2, until: 40 }, { at: 60, value: 3, until: 80 }]);
    assert.deepEqual([5, 10, 25, 40, 50, 60, 81].map((time) => history.known(time)), [undefined, 1, 2, 2, undefined, 3, undefined]);
    assert.deepEqual(history.extent(21, 50), { low: 2, high: 2, last: 2 });
    assert.equal(history.extent(41, 59), undefined);
    history.close(70);
    assert.equal(history.known(75), undefined);
    history.close(5);
    assert.equal(history.known(60), 3);
});

test("Recorded samples fill what is not known, and change nothing else", () => {
    const history = History.of([{ at: 100_000, value: 1, until: 110_000 }, { at: 200_000, value: 2, until: 300_000 }]);
    const before = history.version;
    const sample = (seconds) => ({ at: seconds * 1000, value: seconds });
    history.fill([sample(50), sample(60), sample(60.2), sample(100), sample(105), sample(150), sample(250)], 20_000);
    assert.deepEqual(history.points.map((point) => [point.at / 1000, point.value]), [[50, 50], [60, 60], [100, 1], [150, 150], [200, 2]]);
    assert.deepEqual([55, 79, 90, 115, 160, 180].map((seconds) => history.known(seconds * 1000)), [50, 60, undefined, undefined, 150, undefined]);
    assert.ok(history.version > before);
    const again = history.version;
    history.fill([sample(50), sample(150)], 20_000);
    assert.equal(history.version, again);
});

test("Recorded samples beyond the limit push out the oldest", () => {
    const history = History.of([{ at: 1e9, value: 7, until: 2e9 }]);
    history.fill(Array.from({ length: 2 * limit }, (_, index) => ({ at: index * 1000, value: index })), 1000);
    assert.equal(history.length, limit);
    assert.deepEqual([history.value(0), history.value(limit - 1)], [limit + 1, 7]);
});

const bounds = { earliest: 0, latest: 1_000_000 };

test("The axis goes on with the time until the user moves it, and again at its end", () => {
    const axis = new TimeAxis(100_000);
    assert.deepEqual(axis.range(bounds), { from: 900_000, to: 1_000_000 });
    assert.deepEqual(axis.range({ ...bounds, latest: 1_100_000 }), { from: 1_000_000, to: 1_100_000 });
    axis.pan(-0.5, bounds);
    assert.deepEqual(axis.range({ ...bounds, latest: 1_100_000 }), { from: 850_000, to: 950_000 });
    axis.pan(2, bounds);
    assert.ok(axis.isFollowing);
    axis.pan(-100, bounds);
    assert.deepEqual(axis.range(bounds), { from: 0, to: 100_000 });
});

test("Zooming keeps the time below the pointer, within bounds", () => {
    const axis = new TimeAxis(100_000);
    axis.pan(-2, bounds);
    axis.zoom(0.5, 0.25, bounds);
    assert.deepEqual(axis.range(bounds), { from: 712_500, to: 762_500 });
    for (let step = 0; step < 50; step += 1) axis.zoom(0.5, 0.5, bounds);
    assert.equal(axis.span, least);
    for (let step = 0; step < 50; step += 1) axis.zoom(2, 0.5, bounds);
    assert.equal(axis.span, most);
    assert.ok(axis.isFollowing);
    axis.show(60_000);
    axis.zoom(2, 1, bounds);
    assert.ok(axis.isFollowing);
    assert.equal(axis.span, 120_000);
    axis.choose(300_000, 400_000, bounds);
    assert.deepEqual(axis.range(bounds), { from: 300_000, to: 400_000 });
});

test("The crosshair moves by key, and what is shown goes with it", () => {
    const axis = new TimeAxis(100_000);
    axis.move(-0.1, bounds);
    assert.equal(axis.cross, 990_000);
    axis.move(-1, bounds);
    assert.equal(axis.cross, 890_000);
    assert.deepEqual(axis.range(bounds), { from: 890_000, to: 990_000 });
    axis.jump(false, bounds);
    assert.equal(axis.cross, 0);
    axis.move(-0.1, bounds);
    assert.equal(axis.cross, 0);
    axis.jump(true, bounds);
    axis.move(0.1, bounds);
    assert.equal(axis.cross, 1_000_000);
    axis.follow();
    assert.equal(axis.cross, undefined);
});

test("Labels of the axis are at round times, with room between them", () => {
    const from = Date.parse("2026-11-21T10:00:07Z");
    const { times, isFine } = marks(from, from + 120_000, 600);
    assert.ok(isFine);
    assert.deepEqual(times.map((at) => at - from), [23_000, 53_000, 83_000, 113_000]);
    assert.ok(!marks(from, from + 3600_000, 600).isFine);
    assert.deepEqual(around(-60_000, 30_000, 450), [-60_000, -30_000, 0, 30_000]);
});

test("The usual plots come with the first values, until the user chooses", () => {
    const plots = new Plots();
    plots.reset([]);
    plots.suggest(new Map([["vehicle_speed", 1]]));
    plots.suggest(new Map([["vehicle_speed", 1], ["engine_speed", 1]]));
    assert.deepEqual(plots.groups, [["engine_speed"], ["vehicle_speed"]]);
    assert.equal(plots.toggle("fuel_level"), true);
    assert.equal(plots.toggle("engine_speed"), false);
    plots.suggest(new Map([["vehicle_speed", 1], ["engine_speed", 1]]));
    assert.deepEqual(plots.series, ["vehicle_speed", "fuel_level"]);
    plots.reset([["a", "b", "a"], ["b"], ["<x>", 7], "c"]);
    plots.suggest(new Map([["a", 1], ["b", 1], ["c", 1]]));
    assert.deepEqual(plots.groups, [["a", "b"]]);
});

test("Series share a plot, and get one of their own again", () => {
    const plots = new Plots();
    for (const series of ["a", "b", "c"]) plots.toggle(series);
    plots.move("c", "a");
    plots.move("d", "a");
    assert.deepEqual(plots.groups, [["a", "c", "d"], ["b"]]);
    plots.move("b", "a");
    plots.move("a", undefined);
    assert.deepEqual(plots.groups, [["c", "d", "b"], ["a"]]);
    plots.move("a", "a");
    plots.move("<b>", "a");
    plots.move("e", "gone");
    assert.deepEqual(plots.groups, [["c", "d", "b"], ["a"]]);
    for (let index = 0; index < 20; index += 1) plots.move(`x${index}`, "a");
    assert.equal(plots.groups[1].length, overlayLimit);
    for (let index = 0; index < 20; index += 1) plots.toggle(`y${index}`);
    assert.equal(plots.groups.length, plotLimit);
});

test("A condition has lines where one value is compared with one number", () => {
    assert.deepEqual(comparisons("coolant_temperature > 110 and engine_speed > 0"), [
        { name: "coolant_temperature", sign: ">", value: 110 }, { name: "engine_speed", sign: ">", value: 0 },
    ]);
    assert.deepEqual(comparisons("(20 < a && a<40.5) || not (-5>=b)"), [
        { name: "a", sign: ">", value: 20 }, { name: "a", sign: "<", value: 40.5 }, { name: "b", sign: "<=", value: -5 },
    ]);
    for (const text of ["a - b > 5", "a > 5 * b", "abs(a) > 5", "2 * (a) > 5", "a == 5", "a > b", "", "> 5", "a >"]) assert.deepEqual(comparisons(text), [], text);
});

test("The limits of a series are those of its name or role, in the unit of the reading", () => {
    const picture = new Picture("V1");
    picture.receive("parameters/coolant_temperature", bytes({ value: 90, unit: "°C" }), 0, false);
    picture.receive("parameters/pack", bytes({ value: 50, unit: "%" }), 0, false);
    picture.receive("vehicle", bytes({ roles: { state_of_charge: ["pack"] } }), 0, false);
    picture.receive("limits", bytes({ limits: {
        hot: { when: "coolant_temperature > 110", exceeded: true }, low: { when: "state_of_charge < 15" }, "<b>": { when: "pack < 1" }, odd: 7,
    } }), 0, false);
    const words = { unit: "°C", gauge: { minimum: -20, maximum: 130, warnAbove: 110, dangerAbove: 120 } };
    assert.deepEqual(thresholds(picture, "coolant_temperature", words, "°C"), [
        { value: 110, sign: ">", name: "hot", isExceeded: true }, { value: 120, sign: ">", degree: "danger" },
    ]);
    assert.deepEqual(thresholds(picture, "coolant_temperature", words, "°F").map((line) => line.value), [230, 248]);
    assert.deepEqual(thresholds(picture, "coolant_temperature/7E9", undefined, "°C"), []);
    assert.deepEqual(thresholds(picture, "pack", undefined, "%"), [{ value: 15, sign: "<", name: "low", isExceeded: false }]);
    assert.deepEqual(thresholds(new Picture("V2"), "a", undefined, undefined), []);
});

test("A boost is for the plotted parameters, and is over after its time", () => {
    assert.equal(boostOrder([]), undefined);
    assert.deepEqual(boostOrder(["a", "a/7E9", "b"]), { parameters: ["a", "b"], duration: 300 });
    const boost = new Boost();
    boost.receive({ parameters: ["a"], not_selected: ["b"], duration: 300 }, 1000);
    assert.deepEqual(boost.until(["a/7E9", "b"], 2000), { end: 301_000, count: 1 });
    assert.deepEqual(boost.left, ["b"]);
    assert.equal(boost.until(["a"], 301_000), undefined);
    boost.receive({ parameters: "a", duration: "x" }, 1000);
    assert.equal(boost.until(["a"], 1000), undefined);
});

test("What happened since the first plotted value is told once", () => {
    const picture = new Picture("V1");
    const at = (minute) => `2026-11-21T10:${minute}:00.000Z`;
    assert.deepEqual(moments(picture), []);
    picture.receive("parameters/a", bytes({ value: 1, quality: "good", time: at("05") }), Date.parse(at("05")), false);
    const code = (name, minute) => ({ code: name, ecu: "7E8", states: ["stored"], first_seen: at(minute) });
    picture.receive("codes", bytes({ codes: [code("P0301", "10"), code("P0420", "01"), code("P0171", "20"), 7] }), 0, false);
    picture.receive("events", bytes({
        agent: "a", epoch: 1, seq: 1, time: at("10"), clock: "synchronised", event: "capture",
        capture: { rule: "code", trigger: "code_appeared", code: "P0301", ecu: "7E8", series: {} },
    }), 0, false);
    assert.deepEqual(moments(picture).map((one) => [one.at, one.kind, one.code]), [
        [Date.parse(at("10")), "code_appeared", "P0301"], [Date.parse(at("20")), "code_appeared", "P0171"],
    ]);
});
