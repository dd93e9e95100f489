// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";

import { Picture } from "../../../Console/model/picture.js";
import { converted, figure, take, unitIn, units, useUnits } from "../../../Console/model/units.js";
import { arranged, decimals, gauge, groupsFrom, matches, passed, snapshot } from "../../../Console/model/values.js";

const words = { title: (series) => series.replace(/_/g, " "), parameter: (name) => ({ group: name.startsWith("fuel") ? "fuel" : name.startsWith("air") ? "air" : undefined }) };
const picture = (names, vehicle) => {
    const made = new Picture("V1");
    const say = (path, json) => made.receive(path, new TextEncoder().encode(JSON.stringify(json)), 0, true);
    if (vehicle) say("vehicle", vehicle);
    for (const name of names) say(`parameters/${name}`, { value: 1 });
    return made;
};

test("Units go both ways, and what has no counterpart stays", () => {
    assert.deepEqual(converted(100, "°C", "us"), { value: 212, unit: "°F" });
    assert.deepEqual(converted(212, "°F", "metric"), { value: 100, unit: "°C" });
    assert.equal(converted(100, "km/h", "us").value.toFixed(3), "62.137");
    assert.equal(converted(29.53, "inHg", "metric").value.toFixed(1), "100.0");
    assert.equal(unitIn("kPa", "us"), "psi");
    assert.equal(unitIn("kPa", "us", "inHg"), "inHg");
    assert.equal(unitIn("km", "us", "inHg"), "mi");
    assert.deepEqual(converted(1, "rpm", "us"), { value: 1, unit: "rpm" });
    assert.deepEqual(converted(1, "km", "sent"), { value: 1, unit: "km" });
    assert.deepEqual(converted(1, "km", "constructor"), { value: 1, unit: "km" });
    assert.deepEqual(converted("x", "km", "us"), { value: "x", unit: "km" });
});

test("Each unit comes back from its counterpart", () => {
    for (const unit of ["°C", "km", "km/h", "kPa", "Pa", "g/s", "kg/h", "L", "L/h", "N·m", "kWh/100 km"]) {
        const there = converted(7, unit, "us");
        assert.notEqual(there.unit, unit);
        const back = converted(there.value, there.unit, "metric");
        assert.equal(back.unit, unit);
        assert.ok(Math.abs(back.value - 7) < 1e-9, unit);
    }
});

test("British units are miles beside degrees Celsius and liters, whatever the agent sends", () => {
    assert.deepEqual(["km/h", "km", "°C", "L", "kPa"].map((unit) => unitIn(unit, "british")), ["mph", "mi", "°C", "L", "kPa"]);
    assert.deepEqual(["mph", "mi", "°F", "gal(US)", "psi", "inHg"].map((unit) => unitIn(unit, "british")), ["mph", "mi", "°C", "L", "kPa", "kPa"]);
});

test("A trip's consumption is in miles per gallon of the same country", () => {
    const told = (value, system) => {
        const found = figure(value, "L/100 km", system);
        return `${found.value.toFixed(1)} ${found.unit}`;
    };
    assert.deepEqual(["sent", "metric", "british", "us"].map((system) => told(7.4, system)), ["7.4 L/100 km", "7.4 L/100 km", "38.2 mpg(UK)", "31.8 mpg(US)"]);
    assert.equal(told(0, "us"), "0.0 L/100 km");
    assert.equal(figure(10, "km", "us").unit, "mi");
});

test("As sent, everything is in the units of the agent's values", () => {
    const known = (name) => ({ vehicle_speed: { unit: "km/h", imperial: { unit: "mph" } }, tyre: { unit: "kPa", imperial: { unit: "psi" } } })[name];
    const sent = (values) => {
        take(new Map(Object.entries(values).map(([name, unit]) => [name, { unit }])), known);
        return units();
    };
    assert.deepEqual([sent({ vehicle_speed: "mph" }), sent({ vehicle_speed: "km/h" }), sent({})], ["us", "sent", "sent"]);
    // A parameter of one make, or an odd unit, decides nothing.
    assert.equal(sent({ own_pressure: "psi", tyre: "bar", "vehicle_speed/7E9": "mph" }), "us");
    assert.equal(sent({ own_pressure: "psi" }), "sent");
    useUnits("british");
    assert.equal(sent({ vehicle_speed: "mph" }), "british");
    useUnits("imperial");
    assert.equal(units(), "british");
    useUnits("sent");
});

test("A number has the digits of the shared words, or useful ones", () => {
    assert.deepEqual([decimals(812.25, "rpm", { decimals: 0, unit: "rpm" }), decimals(14, "V", { decimals: 2, unit: "V" }), decimals(1, "V", { decimals: 99, unit: "V" })], [0, 2, 6]);
    const pressure = { unit: "kPa", decimals: 0, imperial: { unit: "psi", decimals: 1 } };
    assert.deepEqual([decimals(3.14159, "kPa", pressure), decimals(3.14159, "psi", pressure), decimals(3.14159, "bar", pressure)], [0, 1, 2]);
    assert.deepEqual([3.14159, 31.4159, 314.159, 3, -0.5].map((value) => decimals(value, "V")), [2, 1, 0, 0, 2]);
});

test("A gauge is in the unit of the reading, or is not there", () => {
    const known = { unit: "°C", gauge: { minimum: -40, maximum: 130, warnAbove: 105, dangerAbove: 115 } };
    assert.deepEqual(gauge(known, "°C"), { range: [-40, 130], warning: [undefined, 105], danger: [undefined, 115] });
    assert.deepEqual(gauge(known, "°F"), { range: [-40, 266], warning: [undefined, 221], danger: [undefined, 239] });
    assert.equal(gauge(known, "K"), undefined);
    const engine = { unit: "rpm", gauge: { minimum: 0, maximum: 7000 }, dieselGauge: { minimum: 0, maximum: 5000 } };
    assert.deepEqual([gauge(engine, "rpm").range, gauge(engine, "rpm", { isDiesel: true }).range, gauge(known, "°C", { isDiesel: true }).range], [[0, 7000], [0, 5000], [-40, 130]]);
    assert.equal(gauge(undefined, "°C"), undefined);
    assert.equal(gauge({ unit: "V", gauge: { minimum: 5, maximum: 5 } }, "V"), undefined);
});

test("The graver of the limits that a value passes is told", () => {
    const found = { warning: [12.2, 15], danger: [11.5, undefined] };
    assert.equal(passed(13, found), undefined);
    assert.equal(passed(15, found), undefined);
    assert.deepEqual(passed(16, found), { degree: "warning", isAbove: true, limit: 15 });
    assert.deepEqual(passed(12, found), { degree: "warning", isAbove: false, limit: 12.2 });
    assert.deepEqual(passed(11, found), { degree: "danger", isAbove: false, limit: 11.5 });
    assert.equal(passed(13, undefined), undefined);
    assert.equal(passed(undefined, found), undefined);
});

test("Few values stand in one group after the most wanted ones", () => {
    const groups = arranged(picture(["zeta", "alpha", "alpha/7E9", "engine_speed", "vehicle_speed", "engine_speed/7E9"]), words);
    assert.deepEqual(groups, [
        { name: "first", series: ["vehicle_speed", "engine_speed"] },
        { name: "other", series: ["alpha", "zeta", "alpha/7E9", "engine_speed/7E9"] },
    ]);
});

test("Many values stand in the groups of the shared words, unknown ones last", () => {
    const names = ["air_b", "zeta", ...Array.from({ length: groupsFrom }, (_, index) => `fuel_${String(index).padStart(2, "0")}`), "air_a"];
    const groups = arranged(picture(names), words);
    assert.deepEqual(groups.map((group) => [group.name, group.series.length]), [["air", 2], ["fuel", groupsFrom], ["other", 1]]);
    assert.deepEqual(groups[0].series, ["air_a", "air_b"]);
});

test("The traction battery comes first, and a search finds names and titles", () => {
    const vehicle = { roles: { state_of_charge: ["soc"], vehicle_speed: ["speed_x"] } };
    const made = picture(["soc", "speed_x", "fuel_level", "zeta"], vehicle);
    assert.deepEqual(arranged(made, words).map((group) => [group.name, ...group.series]), [["traction_battery", "soc"], ["first", "speed_x", "fuel_level"], ["other", "zeta"]]);
    assert.deepEqual(arranged(made, words, " fuel LEVEL ").map((group) => group.series), [["fuel_level"]]);
    assert.deepEqual(arranged(made, words, "nothing of this"), []);
    assert.ok(matches("level fu", "Fuel level") && !matches("level x", "Fuel level"));
});

test("On paper each value has its state and its age", () => {
    const now = Date.parse("2026-11-22T10:05:00.000Z");
    const made = new Picture("V1");
    const say = (path, json) => made.receive(path, new TextEncoder().encode(typeof json === "string" ? json : JSON.stringify(json)), now, true);
    say("availability", "online");
    say("status", { link: "connected", parked: false, live_within: 60 });
    const at = { engine_speed: "2026-11-22T10:04:50.000Z", alpha: "2026-11-22T10:00:00.000Z", zeta: undefined };
    for (const [name, time] of Object.entries(at)) say(`parameters/${name}`, { value: 1, quality: "good", time });
    const rows = () => snapshot(made, words, now).flatMap((group) => group.rows.map(({ series, state, age }) => [series, state, age]));
    assert.deepEqual(rows(), [["engine_speed", "live", 10_000], ["alpha", "late", 300_000], ["zeta", "last", undefined]]);
    say("availability", "offline");
    assert.deepEqual(rows().map(([, state]) => state), ["last", "last", "last"]);
});
