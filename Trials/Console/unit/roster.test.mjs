// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import test from "node:test";
import assert from "node:assert/strict";

import { Fleet } from "../../../Console/model/fleet.js";
import { Roster } from "../../../Console/model/roster.js";
import { inSight, margin } from "../../../Console/model/window.js";
import { lampAndBattery } from "../../../Console/views/fleet.js";
import "./english.mjs";

const bytes = (payload) => new TextEncoder().encode(typeof payload === "string" ? payload : JSON.stringify(payload));

/** A fleet of vehicles, each with its messages by path. */
function fleetOf(vehicles) {
    const fleet = new Fleet("obd");
    fleet.opened();
    for (const [name, messages] of Object.entries(vehicles)) {
        for (const [path, payload] of Object.entries(messages)) fleet.receive(`obd/${name}/${path}`, bytes(payload), 0, true);
    }
    return fleet;
}
const codes = (...names) => ({ known: true, mil: names.length > 1, codes: names.map((code) => ({ code, ecu: "7E8" })) });
const fleet = fleetOf({
    "van 10": { availability: "online", status: { time: "2026-11-22T10:00:00Z", battery: { voltage: 13.9 } }, codes: codes("P0301", "P0420") },
    "van 2": { availability: "online", status: { time: "2026-11-22T09:00:00Z", parked: true, battery: { voltage: 11.8 } }, codes: codes() },
    "van 3": { availability: "offline", status: { time: "2026-11-21T10:00:00Z" }, codes: codes("P0171") },
    truck: { availability: "offline", status: { time: "2026-11-22T08:00:00Z", battery: { voltage: 24.4 } } },
});
const words = ({ state, lamp }) => `${state} ${lamp ? "warning lamp on" : ""}`;
const names = (wanted, vehicles = fleet) => {
    const roster = new Roster(words);
    roster.update(vehicles.shown, true, wanted);
    return roster.rows.map((row) => row.name);
};

test("The order is that of the state, and then that of the names with their numbers", () => {
    assert.deepEqual(names({}), ["van 10", "van 2", "truck", "van 3"]);
    assert.deepEqual(names({ sort: "name" }), ["truck", "van 2", "van 3", "van 10"]);
});

test("The worst comes first by lamp, codes and battery, and the newest by time", () => {
    assert.deepEqual(names({ sort: "lamp" }), ["van 10", "truck", "van 3", "van 2"]);
    assert.deepEqual(names({ sort: "codes" }), ["van 10", "van 3", "truck", "van 2"]);
    assert.deepEqual(names({ sort: "battery" }), ["van 2", "van 10", "truck", "van 3"]);
    assert.deepEqual(names({ sort: "seen" }), ["van 10", "van 2", "truck", "van 3"]);
    assert.deepEqual(names({ sort: "constructor" }), names({}));
});

test("A search finds names, codes and states; all of its words must be there", () => {
    assert.deepEqual(names({ search: "P0171" }), ["van 3"]);
    assert.deepEqual(names({ search: "VAN  online" }), ["van 10"]);
    assert.deepEqual(names({ search: "lamp on" }), ["van 10"]);
    assert.deepEqual(names({ search: "nothing" }), []);
});

test("A filter keeps what it names, and the counts are those of all vehicles", () => {
    assert.deepEqual(names({ filter: "codes" }), ["van 10", "van 3"]);
    assert.deepEqual(names({ filter: "parked" }), ["van 2"]);
    const roster = new Roster(words);
    roster.update(fleet.shown, true, { search: "truck" });
    assert.deepEqual(roster.counts, { all: 4, online: 1, parked: 1, offline: 2, lamp: 1, codes: 2 });
});

test("What changed is shown, what is gone is not, and without a connection nothing is the present state", () => {
    const changing = fleetOf({ A: { availability: "online" }, B: { availability: "online" } });
    const roster = new Roster(words);
    roster.update(changing.shown, true);
    changing.receive("obd/B/codes", bytes(codes("P0301", "P0302")), 0, false);
    roster.update(changing.shown, true, { sort: "lamp" });
    assert.deepEqual(roster.rows.map((row) => row.name), ["B", "A"]);
    changing.vehicles.delete("A");
    changing.lost(0);
    roster.update(changing.shown, false);
    assert.deepEqual(roster.rows.map((row) => [row.name, row.isPresent]), [["B", false]]);
});

test("Five thousand vehicles are put in order within the time that a page has between two frames", () => {
    const many = new Fleet("obd");
    for (let index = 0; index < 5000; index += 1) {
        many.receive(`obd/van-${index}/availability`, bytes("online"), 0, true);
        many.receive(`obd/van-${index}/codes`, bytes(index % 7 ? codes() : codes("P0301")), 0, true);
    }
    const roster = new Roster(words);
    roster.update(many.shown, true, {});
    const start = process.cpuUsage();
    for (let turn = 0; turn < 5; turn += 1) {
        many.receive(`obd/van-${turn}/codes`, bytes(codes("P0301", "P0302")), 0, false);
        roster.update(many.shown, true, { sort: "lamp" });
    }
    assert.equal(roster.rows.length, 5000);
    assert.equal(roster.rows[0].lamp, true);
    // Five times what it takes, because some machines are slower.
    assert.ok(process.cpuUsage(start).user / 5 < 100_000);
});

test("A voltage that is older than a day tells nothing", () => {
    const roster = new Roster(words);
    const look = (now) => {
        roster.update(fleet.shown, true, { sort: "battery" }, Date.parse(now));
        return roster.rows.map((row) => [row.name, row.volts]);
    };
    assert.deepEqual(look("2026-11-22T10:00:10Z"), [["van 2", 11.8], ["van 10", 13.9], ["truck", 24.4], ["van 3", undefined]]);
    assert.deepEqual(look("2026-11-23T08:30:00Z"), [["van 2", 11.8], ["van 10", 13.9], ["truck", undefined], ["van 3", undefined]]);
});

test("Lamp and battery of a vehicle that nobody observes are the last known ones", () => {
    const told = (lamp, volts, isObserved, availability = "online") => Object.values(lampAndBattery({ lamp, volts, isObserved, isConnected: true, picture: { availability } }));
    assert.deepEqual(told(true, 12.62, true), ["warning lamp on", "12.6 V"]);
    assert.deepEqual(told(true, 12.62, false), ["warning lamp was on", "last 12.6 V"]);
    // The row has the time at which the vehicle was last seen.
    assert.deepEqual(told(true, 12.62, false, "offline"), ["warning lamp was on", "12.6 V"]);
    assert.deepEqual(told(undefined, undefined, false), ["", ""]);
    const roster = new Roster(words);
    const driving = fleetOf({ A: { availability: "online", status: { link: "connected", battery: { voltage: 14 } } }, B: { availability: "offline", status: { link: "connected" } } });
    roster.update(driving.shown, true);
    assert.deepEqual(roster.rows.map((row) => [row.name, row.isObserved]), [["A", true], ["B", false]]);
    roster.update(driving.shown, false);
    assert.deepEqual(roster.rows.map((row) => row.isObserved), [false, false]);
});

test("Only rows in sight are drawn, with some beyond the edges", () => {
    assert.deepEqual(inSight({ count: 2000, rowHeight: 50, top: 1000, height: 500 }), { first: 20 - margin, end: 30 + margin });
    assert.deepEqual(inSight({ count: 2000, rowHeight: 50, top: -200, height: 500 }), { first: 0, end: 6 + margin });
    assert.deepEqual(inSight({ count: 12, rowHeight: 50, top: 0, height: 5000 }), { first: 0, end: 12 });
    assert.deepEqual(inSight({ count: 0, rowHeight: 50, top: 0, height: 500 }), { first: 0, end: 0 });
    // Far beyond the end, such as after a search that finds little.
    assert.deepEqual(inSight({ count: 3, rowHeight: 50, top: 90_000, height: 500 }), { first: 3, end: 3 });
});
