// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";

import { Fleet, vehicleLimit, visitLimit } from "../../../Console/model/fleet.js";
import { History, limit } from "../../../Console/model/history.js";
import { parameterLimit, payloadLimit, Picture } from "../../../Console/model/picture.js";
import { isPrefix, split } from "../../../Console/model/topics.js";

const bytes = (value) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
const value = (number, second, more = {}) =>
    ({ value: number, unit: "rpm", ecu: "7E8", quality: "good", time: `2026-11-22T10:00:${String(second).padStart(2, "0")}.000Z`, ...more });
const base = Date.parse("2026-11-22T10:00:00.000Z");

test("A topic is split into vehicle and path, and others' topics are none", () => {
    assert.deepEqual(split("obd", "obd/V1/parameters/a/7E8"), { vehicle: "V1", path: "parameters/a/7E8" });
    assert.deepEqual(split("fleet/obd", "fleet/obd/V1/codes"), { vehicle: "V1", path: "codes" });
    for (const topic of ["obd", "obd/", "obd/V1", "obd/V1/", "obd//codes", "other/V1/codes", `obd/${"x".repeat(257)}/codes`]) {
        assert.equal(split("obd", topic), undefined, topic);
    }
    assert.ok(isPrefix("obd") && isPrefix("a/b"));
    for (const text of ["", "/obd", "obd/", "o+d", "#", "$SYS"]) assert.ok(!isPrefix(text), text);
});

test("A number has a history, a text has none, and an emptied topic has neither", () => {
    const picture = new Picture("V1");
    assert.equal(picture.receive("parameters/engine_speed", bytes(value(800, 1)), base, false), "parameters");
    picture.receive("parameters/engine_speed", bytes(value(900, 2)), base, false);
    picture.receive("parameters/fuel_type", bytes({ ...value("petrol", 2), unit: undefined }), base, false);
    assert.deepEqual(picture.histories.get("engine_speed").points.map(({ at, value }) => [at, value]), [[base + 1000, 800], [base + 2000, 900]]);
    assert.equal(picture.parameters.get("fuel_type").value, "petrol");
    assert.ok(!picture.histories.has("fuel_type"));
    picture.receive("parameters/engine_speed", bytes(""), base, false);
    assert.ok(!picture.parameters.has("engine_speed") && !picture.histories.has("engine_speed"));
});

test("A limit and a position are kept until their topic is emptied", () => {
    const picture = new Picture("V1");
    for (const path of ["limits", "position"]) {
        assert.equal(picture.receive(path, bytes({ v: 1 }), base, true), path);
        assert.deepEqual(picture[path], { v: 1 });
        picture.receive(path, bytes(""), base, false);
        assert.equal(picture[path], undefined);
    }
});

test("A reading of a clock that nobody has set is dated by its arrival", () => {
    const picture = new Picture("V1");
    picture.receive("parameters/engine_speed", bytes(value(800, 1, { quality: "unsynchronised" })), base + 77, false);
    assert.equal(picture.histories.get("engine_speed").points[0].at, base + 77);
    assert.equal(picture.ahead, undefined);
});

test("Plots end by the clock of the vehicle, as live readings tell it", () => {
    const picture = new Picture("V1");
    picture.receive("parameters/engine_speed", bytes(value(800, 10)), base, true);
    assert.equal(picture.end(base), base);
    picture.receive("parameters/engine_speed", bytes(value(800, 20)), base, false);
    assert.equal(picture.end(base + 1), base + 20_001);
});

test("What is no JSON, or JSON of another shape, does no harm", () => {
    for (const payload of ["{", "null", "[]", "7", '"text"', '{"codes": 7, "known": true, "ecus": {}, "selected": []}', '{"__proto__": {"mil": true}}']) {
        const picture = new Picture("V1");
        for (const path of ["availability", "status", "vehicle", "codes", "monitors", "trip", "limits", "position", "finding", "events", "telemetry", "parameters/a", "parameters/a/b/c", "x"]) {
            picture.receive(path, bytes(payload), base, false);
        }
        assert.ok(picture.codeCount === undefined || picture.codeCount === 0);
        for (const name of ["vin", "lastSeen", "link", "isParked", "adapter", "voltage", "mil", "ignition"]) {
            assert.equal(picture[name], undefined, `${name} of ${payload}`);
        }
        assert.deepEqual(picture.choices, []);
        assert.equal({}.mil, undefined);
    }
});

test("Nothing grows without bound, and the number of vehicles that are left out is told", () => {
    const fleet = new Fleet("obd");
    for (let index = 0; index < vehicleLimit + 50; index += 1) fleet.receive(`obd/V${index}/availability`, bytes("online"), base, false);
    assert.equal(fleet.vehicles.size, vehicleLimit);
    assert.equal(fleet.shown.length, vehicleLimit);
    assert.equal(fleet.leftOut.size, 50);
    for (let index = 0; index < 3 * vehicleLimit; index += 1) fleet.receive(`obd/W${index}/availability`, bytes("online"), base, false);
    assert.equal(fleet.leftOut.size, vehicleLimit);
    const picture = new Picture("V1");
    for (let index = 0; index < parameterLimit + 50; index += 1) picture.receive(`parameters/p${index}`, bytes(value(1, 1)), base, false);
    assert.equal(picture.parameters.size, parameterLimit);
    assert.equal(picture.receive("codes", new Uint8Array(payloadLimit + 1), base, false), undefined);
    const history = new History();
    for (let index = 0; index < limit * 2; index += 1) history.add(index, index, index);
    assert.ok(history.length <= limit + 300);
    assert.equal(history.points.at(-1).value, limit * 2 - 1);
});

test("A history never goes back, and gives the point before the time that is asked for", () => {
    const history = new History();
    for (const at of [10, 20, 20, 15, 30]) history.add(at, at, at);
    assert.deepEqual(history.points.map((point) => point.at), [10, 20, 30]);
    assert.deepEqual([25, 0, 99].map((time) => history.first(time)), [1, 0, 2]);
});

test("What an agent was called before it knew its vehicle is left out", () => {
    const fleet = new Fleet("obd");
    const say = (vehicle, path, payload) => fleet.receive(`obd/${vehicle}/${path}`, bytes(payload), base, true);
    const names = () => fleet.shown.map((picture) => picture.name).sort();
    say("A", "availability", "offline");
    say("B", "availability", "online");
    say("agent-5f4f70d2d6c8", "availability", "offline");
    say("agent-5f4f70d2d6c8", "status", { agent: "5f4f70d2d6c8" });
    say("gone", "availability", "");
    say("agent-other", "availability", "offline");
    say("agent-online", "availability", "online");
    assert.deepEqual(names(), ["A", "B", "agent-online"]);
    // A vehicle may have such a name, which its status tells, or that it has none.
    fleet.complete(["agent-other"]);
    say("agent-online", "availability", "offline");
    say("agent-online", "status", { agent: "another" });
    assert.deepEqual(names(), ["A", "B", "agent-online", "agent-other"]);
    for (const name of ["agent-online", "agent-other"]) fleet.vehicles.delete(name);
    assert.deepEqual(names(), ["A", "B"]);
    assert.equal(fleet.first.name, "B");
});

test("Each change of what the list shows is counted, and nothing else", () => {
    const fleet = new Fleet("obd");
    const say = (path, payload) => {
        const before = fleet.version;
        fleet.receive(`obd/A/${path}`, bytes(payload), base, false);
        return fleet.version - before;
    };
    fleet.follow("A", base);
    assert.deepEqual([say("availability", "online"), say("status", {}), say("codes", { known: true })], [1, 1, 1]);
    assert.deepEqual([say("parameters/engine_speed", { value: 800 }), say("trip", {})], [0, 0]);
    fleet.lost(base);
    assert.equal(say("availability", "online"), 1);
});

test("Forerunners take no place of a vehicle", () => {
    const fleet = new Fleet("obd");
    for (let index = 0; index < vehicleLimit; index += 1) {
        fleet.receive(`obd/agent-${index}/availability`, bytes("offline"), base, true);
        fleet.receive(`obd/agent-${index}/status`, bytes({ agent: String(index) }), base, true);
    }
    for (let index = 0; index < vehicleLimit; index += 1) fleet.receive(`obd/V${index}/availability`, bytes("offline"), base, true);
    assert.equal(fleet.shown.length, vehicleLimit);
    assert.equal(fleet.leftOut.size, 0);
    fleet.receive("obd/agent-7/availability", bytes("online"), base, false);
    assert.equal(fleet.forerunners, vehicleLimit - 1);
});

test("Values of another vehicle than the chosen one do not count, also if they are still on their way", () => {
    const fleet = new Fleet("obd");
    const say = (name, path, payload) => fleet.receive(`obd/${name}/${path}`, bytes(payload), base, false);
    for (const name of ["A", "B"]) say(name, "availability", "online");
    fleet.follow("A", base);
    say("A", "monitors", { monitors: { misfire: "complete" } });
    say("A", "parameters/engine_speed", value(800, 1));
    fleet.follow("B", base);
    assert.equal(say("A", "parameters/engine_speed", value(900, 2)), undefined);
    const picture = fleet.vehicles.get("A");
    assert.deepEqual([picture.parameters.size, picture.monitors, picture.availability], [0, undefined, "online"]);
    assert.equal(picture.histories.get("engine_speed").points.length, 1);
});

test("Histories are kept of the vehicles that the user has looked at last", () => {
    const fleet = new Fleet("obd");
    const names = Array.from({ length: visitLimit + 1 }, (_, index) => `V${index}`);
    for (const name of names) {
        fleet.receive(`obd/${name}/availability`, bytes("online"), base, false);
        fleet.follow(name, base);
        fleet.receive(`obd/${name}/parameters/engine_speed`, bytes(value(800, 1)), base, false);
    }
    assert.deepEqual(names.map((name) => fleet.vehicles.get(name).histories.size), [0, ...Array(visitLimit).fill(1)]);
});

test("What can be chosen is what the ECUs support and what is read", () => {
    const picture = new Picture("V1");
    picture.receive("vehicle", bytes({
        ecus: [{ supported: ["engine_speed", "fuel_level", "015A"] }, { supported: ["engine_speed"] }], selected: { engine_speed: 0.5, mine: 10, "<b>": 1 },
    }), base, true);
    assert.deepEqual(picture.choices, [
        { name: "015A", interval: undefined }, { name: "engine_speed", interval: 0.5 }, { name: "fuel_level", interval: undefined }, { name: "mine", interval: 10 },
    ]);
});

test("Values have roles, of which the first counts, and a truth is that of any value", () => {
    const picture = new Picture("V1");
    picture.receive("vehicle", bytes({
        roles: { state_of_charge: ["front", "rear"], charging: ["state"], plugged_in: ["ac", "dc"], range: ["left"], vehicle_speed: ["wheels"] },
        true_values: { state: [5, 7] },
    }), base, true);
    assert.deepEqual(picture.battery, []);
    assert.equal(picture.truth("charging"), undefined);
    for (const [name, reading] of Object.entries({ front: 64.5, rear: 63, ac: false, dc: true, state: 5, left: 211, wheels: 0 })) {
        picture.receive(`parameters/${name}`, bytes(value(reading, 1)), base, false);
    }
    assert.deepEqual(picture.battery, ["front", "rear", "state", "ac", "dc", "left"]);
    assert.deepEqual(picture.named("state_of_charge"), ["front", "rear"]);
    assert.equal(picture.role("wheels"), "vehicle_speed");
    assert.equal(picture.role("other"), undefined);
    assert.deepEqual([picture.truth("charging"), picture.truth("plugged_in"), picture.truth("ready")], [true, true, undefined]);
    picture.receive("parameters/state", bytes(value(6, 2)), base, false);
    assert.equal(picture.truth("charging"), false);
});

test("A range alone is no traction battery, and roles of another shape do no harm", () => {
    const picture = new Picture("V1");
    picture.receive("parameters/left", bytes(value(211, 1)), base, false);
    picture.receive("vehicle", bytes({ roles: { range: ["left"] } }), base, true);
    assert.deepEqual(picture.battery, []);
    for (const roles of [7, ["left"], { state_of_charge: "left" }, { state_of_charge: [7, null] }, { charging: ["constructor"] }]) {
        picture.receive("vehicle", bytes({ roles, true_values: [] }), base, true);
        assert.deepEqual(picture.battery, []);
        assert.equal(picture.truth("charging"), undefined);
    }
});
