// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";

import { answer } from "../../../Console/model/commands.js";
import { event } from "../../../Console/model/events.js";
import { Fleet, vehicleLimit, visitLimit } from "../../../Console/model/fleet.js";
import { History, limit } from "../../../Console/model/history.js";
import { parameterLimit, payloadLimit, Picture } from "../../../Console/model/picture.js";
import { isPrefix, isVehicle, split } from "../../../Console/model/topics.js";

const bytes = (value) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
const value = (number, second, more = {}) =>
    ({ value: number, unit: "rpm", ecu: "7E8", quality: "good", time: `2026-11-22T10:00:${String(second).padStart(2, "0")}.000Z`, ...more });
const base = Date.parse("2026-11-22T10:00:00.000Z");

/** A vehicle whose values are measured now. */
function observed() {
    const picture = new Picture("V1");
    picture.receive("availability", bytes("online"), base, true);
    picture.receive("status", bytes({ link: "connected" }), base, true);
    return picture;
}

test("A topic is split into vehicle and path, and others' topics are none", () => {
    assert.deepEqual(split("obd", "obd/V1/parameters/a/7E8"), { vehicle: "V1", path: "parameters/a/7E8" });
    assert.deepEqual(split("fleet/obd", "fleet/obd/V1/codes"), { vehicle: "V1", path: "codes" });
    for (const topic of ["obd", "obd/", "obd/V1", "obd/V1/", "obd//codes", "other/V1/codes", `obd/${"x".repeat(257)}/codes`]) {
        assert.equal(split("obd", topic), undefined, topic);
    }
    for (const name of ["", "+", "a+b", "#", "a/b", "\u0000", "a\u0007", "x".repeat(257)]) assert.ok(!isVehicle(name), JSON.stringify(name));
    assert.ok(isVehicle("Fähre <7>") && isVehicle("x".repeat(256)));
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
    const picture = observed();
    picture.receive("parameters/engine_speed", bytes(value(800, 1, { quality: "unsynchronised" })), base + 77, false);
    assert.equal(picture.histories.get("engine_speed").points[0].at, base + 77);
    assert.equal(picture.ahead, undefined);
});

test("Plots end by the clock of the vehicle, as live readings tell it", () => {
    const picture = observed();
    picture.receive("parameters/engine_speed", bytes(value(800, 10)), base, true);
    assert.equal(picture.end(base), base);
    picture.receive("parameters/engine_speed", bytes(value(800, 20)), base, false);
    assert.equal(picture.end(base + 1), base + 20_001);
});

test("The end of the plots follows a vehicle's clock that is set back, or this machine's", () => {
    const picture = observed();
    const measure = (now, ahead = 0) => picture.receive("parameters/engine_speed",
        bytes({ ...value(now, 0), time: new Date(base + now + ahead).toISOString() }), base + now, false);
    const points = () => picture.histories.get("engine_speed").points.map((point) => point.at - base);
    measure(0);
    measure(1000, 3 * 3600_000);
    assert.equal(picture.end(base), base + 3 * 3600_000);
    for (let now = 2000; now <= 120_000; now += 1000) measure(now);
    assert.equal(picture.end(base + 120_000), base + 120_000);
    // The reading of the wrong clock is gone, and keeps no other one out.
    assert.equal(points().length, 120);
    assert.equal(Math.max(...points()), 120_000);
    // This machine's clock was three hours behind, and is corrected.
    measure(121_000, 3 * 3600_000);
    picture.jumped();
    assert.equal(picture.end(base), base);
});

test("A reading that is a little older than the newest is left out, and so is any retained one", () => {
    const history = History.of([{ at: 0, value: 1 }, { at: 100_000, value: 2 }]);
    history.add(40_000, 3, 50_000);
    assert.deepEqual(history.points.map((point) => point.at), [0, 100_000]);
    history.add(39_999, 3, 50_000);
    assert.deepEqual(history.points.map((point) => point.at), [0, 39_999]);
    const picture = new Picture("V1");
    for (const path of ["availability", "status"]) picture.receive(path, bytes(path === "status" ? { link: "connected" } : "online"), base, false);
    picture.receive("parameters/a", bytes({ value: 1, quality: "good", time: "2026-11-22T12:00:00.000Z" }), base, false);
    picture.receive("parameters/a", bytes({ value: 2, quality: "good", time: "2026-11-22T10:00:00.000Z" }), base, true);
    assert.deepEqual(picture.histories.get("a").points.map((point) => point.value), [1]);
});

test("A payload of a later version of the contract is not read, and told", () => {
    const picture = new Picture("V1");
    picture.receive("codes", bytes({ v: 1, known: true, mil: false, codes: [] }), base, true);
    assert.ok(!picture.isNewer);
    picture.receive("codes", bytes({ v: 2, known: true, mil: true, codes: [] }), base, false);
    assert.deepEqual([picture.isNewer, picture.codes, picture.mil], [true, undefined, undefined]);
    picture.receive("codes", bytes({ v: 1, known: true, mil: true, codes: [] }), base, false);
    assert.deepEqual([picture.isNewer, picture.mil], [false, true]);
    picture.receive("status", bytes({ v: 2, link: "connected" }), base, false);
    assert.deepEqual([picture.isNewer, picture.link], [true, undefined]);
    picture.receive("status", bytes(""), base, false);
    assert.ok(!picture.isNewer);
    const trip = { agent: "a", epoch: 1, seq: 1, time: "2026-11-22T10:00:00.000Z", event: "trip", trip: { duration: 60 } };
    assert.equal(picture.receive("events", bytes({ ...trip, v: 2 }), base, false), undefined);
    assert.ok(picture.isNewer);
    assert.equal(event({ ...trip, v: 2 }, "V1"), undefined);
    assert.equal(event({ ...trip, v: 1 }, "V1").kind, "trip");
    assert.equal(answer({ v: 2, state: "succeeded", id: "x" }), undefined);
});

test("A forgotten vehicle makes room, and is not counted", () => {
    const fleet = new Fleet("obd");
    const say = (name, path, payload) => fleet.receive(`obd/${name}/${path}`, bytes(payload), base, false);
    const forget = (name) => { for (const path of ["availability", "status", "codes"]) say(name, path, ""); };
    for (let round = 0; round < 2; round += 1) {
        for (let index = 0; index < vehicleLimit; index += 1) {
            say(`V${index}`, "availability", "online");
            if (index < 10) for (const path of ["status", "codes"]) say(`V${index}`, path, { v: 1 });
        }
        say("late", "availability", "online");
        assert.deepEqual([fleet.count, fleet.leftOut.size], [vehicleLimit, 1]);
        for (let index = 0; index < vehicleLimit; index += 1) forget(`V${index}`);
        assert.deepEqual([fleet.vehicles.size, fleet.count], [0, 0]);
    }
    say("late", "availability", "online");
    assert.deepEqual([fleet.count, fleet.leftOut.size], [1, 0]);
    // The shown one stays, until the user chooses another.
    fleet.follow("late", base);
    say("late", "vehicle", { v: 1 });
    forget("late");
    assert.ok(fleet.vehicles.has("late"));
    fleet.follow("other", base);
    assert.ok(!fleet.vehicles.has("late"));
    // One of which something is left is no forgotten one.
    say("half", "availability", "online");
    say("half", "codes", { v: 1 });
    say("half", "availability", "");
    assert.ok(fleet.vehicles.has("half"));
    say("agent-1", "availability", "offline");
    assert.equal(fleet.forerunners, 1);
    forget("agent-1");
    assert.deepEqual([fleet.forerunners, fleet.vehicles.has("agent-1")], [0, false]);
});

test("What is too long is not read, also if it is about a vehicle that is not shown", () => {
    const fleet = new Fleet("obd");
    assert.equal(fleet.receive("obd/V1/events", bytes(`"${"x".repeat(payloadLimit)}"`), base, false), undefined);
    assert.deepEqual(fleet.receive("obd/V1/events", bytes('"x"'), base, false), { vehicle: "V1", path: "events" });
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
