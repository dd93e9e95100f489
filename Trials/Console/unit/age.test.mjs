// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";

import { age, freshness, lamps, limit } from "../../../Console/model/age.js";
import { Clock } from "../../../Console/model/clock.js";
import { Picture } from "../../../Console/model/picture.js";
import { optional, text } from "../../../Console/texts.js";
import "./english.mjs";
import { ago, date, isOld, sent, since } from "../../../Console/views/when.js";

const bytes = (value) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
const base = Date.parse("2026-11-22T10:00:00.000Z");
const at = (seconds) => new Date(base + seconds * 1000).toISOString();

/** A vehicle that is watched, with one value from the time `base`. */
function watched({ status = {}, selected = {}, isRetained = false, time = at(0), quality = "good" } = {}) {
    const picture = new Picture("V1");
    picture.receive("availability", bytes("online"), base, true);
    picture.receive("status", bytes({ link: "connected", vehicle_confirmed: true, parked: false, ...status }), base, true);
    picture.receive("vehicle", bytes({ selected }), base, true);
    picture.receive("parameters/engine_speed", bytes({ value: 800, quality, time }), base, isRetained);
    return picture;
}
const state = (picture, seconds) => freshness(picture, "engine_speed", picture.parameters.get("engine_speed"), base + seconds * 1000).state;

test("A value is live up to its limit, and late from then on", () => {
    for (const [options, limit] of [
        [{}, 70], [{ selected: { engine_speed: 5 } }, 75], [{ status: { live_within: 600 } }, 610],
        [{ status: { live_within: 60 }, selected: { engine_speed: 30 } }, 100],
    ]) {
        const picture = watched(options);
        assert.deepEqual([state(picture, limit), state(picture, limit + 0.1)], ["live", "late"], JSON.stringify(options));
    }
    assert.equal(limit(watched({ selected: { engine_speed: 5 } }), "engine_speed/7E9"), 75_000);
    assert.deepEqual(["supply_voltage", "constructor"].map((name) => limit(watched(), name)), [105_000, 70_000]);
});

test("The value of an event is never a live one", () => {
    const picture = watched();
    picture.receive("parameters/supply_voltage_cranking", bytes({ value: 9.8, quality: "good", time: at(0) }), base, false);
    const reading = picture.parameters.get("supply_voltage_cranking");
    assert.equal(freshness(picture, "supply_voltage_cranking", reading, base).state, "last");
});

test("A value is only the last known one once anything between it and the page is not as it should be", () => {
    const changes = [
        ["availability", "offline"], ["availability", ""], ["status", { link: "searching" }], ["status", {}],
        ["status", { link: "connected", vehicle_confirmed: false }], ["status", { link: "connected", parked: true }],
    ];
    for (const [path, payload] of changes) {
        const picture = watched();
        picture.receive(path, bytes(payload), base + 1000, false);
        assert.equal(state(picture, 1), "last", JSON.stringify(payload));
    }
    const picture = watched();
    picture.lost(base + 1000);
    assert.equal(state(picture, 1), "last");
    // Only messages of the new connection make it live again.
    picture.receive("availability", bytes("online"), base + 2000, true);
    assert.equal(state(picture, 2), "last");
    picture.receive("status", bytes({ link: "connected" }), base + 2000, true);
    assert.equal(state(picture, 2), "live");
});

test("A last known value is as old as the last message while it was live, if that was within its limit", () => {
    const age = (picture, seconds) => {
        const reading = picture.parameters.get("engine_speed");
        return freshness(picture, "engine_speed", reading, base + seconds * 1000).age / 1000;
    };
    const other = (picture, name, seconds, isRetained = false) =>
        picture.receive(`parameters/${name}`, bytes({ value: 1, quality: "good", time: at(seconds) }), base + seconds * 1000, isRetained);
    for (const [last, expected] of [[55, 12], [0, 67]]) {
        const picture = watched();
        other(picture, "vehicle_speed", last);
        other(picture, "oil_temperature", 60, true);
        other(picture, "supply_voltage", 61);
        picture.lost(base + 62_000);
        other(picture, "vehicle_speed", 63);
        assert.equal(age(picture, 67), expected);
    }
    // Late when the last message came.
    const picture = watched();
    other(picture, "vehicle_speed", 71);
    picture.receive("availability", bytes("offline"), base + 72_000, false);
    assert.equal(age(picture, 75), 75);
});

test("The age of a value is the time since it arrived; that of a retained one the time since it was measured", () => {
    const reading = { time: base - 40_000, quality: "good" };
    assert.equal(age({ ...reading, arrived: base }, base + 3000), 3000);
    assert.equal(age(reading, base + 3000), 43_000);
    // A clock that is a little ahead, and one that is wrong.
    assert.equal(age({ ...reading, time: base + 50_000 }, base), 0);
    for (const other of [{ time: base + 61_000 }, { time: undefined }, { quality: "unsynchronised" }]) {
        assert.equal(age({ ...reading, ...other }, base), undefined);
    }
    assert.equal(state(watched({ isRetained: true, time: at(-69) }), 0), "live");
    assert.equal(state(watched({ isRetained: true, time: at(-71) }), 0), "late");
    assert.equal(state(watched({ isRetained: true, quality: "unsynchronised" }), 0), "last");
});

/** What keeps all lamps from being lit. */
const unlit = [
    ["availability", "offline"], ["availability", ""], ["status", { link: "searching" }], ["status", {}],
    ["status", { link: "connected", vehicle_confirmed: false }], ["status", { link: "connected", parked: true }],
];
const measure = (picture, seconds, arrival, more = {}) => picture.receive(
    "parameters/engine_speed", bytes({ value: seconds, quality: "good", time: at(seconds), ...more }), base + arrival * 1000, false);
const shown = (picture, seconds) => {
    const { state, age } = freshness(picture, "engine_speed", picture.parameters.get("engine_speed"), base + seconds * 1000);
    return [state, age === undefined ? undefined : age / 1000];
};

test("A value that arrives while a lamp is out is as old as its own time says", () => {
    for (const [path, payload] of unlit) {
        const picture = watched();
        picture.receive(path, bytes(payload), base + 60_000, false);
        // The agent had held it back since it measured it.
        measure(picture, 20, 61);
        assert.deepEqual(shown(picture, 62), ["last", 42], JSON.stringify(payload));
        measure(picture, 21, 61, { quality: "unsynchronised" });
        assert.deepEqual(shown(picture, 62), ["last", undefined], JSON.stringify(payload));
        // Lamps that are lit again do not make it younger.
        measure(picture, 22, 61);
        picture.receive("availability", bytes("online"), base + 63_000, false);
        picture.receive("status", bytes({ link: "connected" }), base + 63_000, false);
        assert.deepEqual([shown(picture, 64), shown(picture, 93)], [["live", 42], ["late", 71]], JSON.stringify(payload));
        measure(picture, 60, 94);
        assert.deepEqual(shown(picture, 95), ["live", 1], JSON.stringify(payload));
    }
});

test("A value from before the status of its vehicle is as old as its own time says", () => {
    const picture = new Picture("V1");
    measure(picture, -30, 0);
    picture.receive("availability", bytes("online"), base, true);
    measure(picture, -20, 1);
    picture.receive("status", bytes({ link: "connected" }), base, true);
    assert.deepEqual(shown(picture, 2), ["live", 22]);
});

test("A value that comes again after a lost connection keeps its age, whatever the clock of this machine says", () => {
    const again = (picture, seconds) =>
        picture.receive("parameters/engine_speed", bytes({ value: 1, quality: "good", time: at(seconds) }), base + 30_000, true);
    const picture = watched({ time: at(-7200) });
    assert.deepEqual(shown(picture, 3), ["live", 3]);
    picture.lost(base + 4000);
    picture.receive("availability", bytes("online"), base + 29_000, true);
    picture.receive("status", bytes({ link: "connected" }), base + 29_000, true);
    again(picture, -7200);
    assert.deepEqual(shown(picture, 31), ["live", 31]);
    again(picture, -7100);
    assert.deepEqual(shown(picture, 31), ["late", 7131]);
});

test("A value that was held back is a point at its own time, tells nothing of the clocks, and drops no other point", () => {
    const points = (picture) => picture.histories.get("engine_speed").points.map((point) => [(point.at - base) / 1000, (point.until - base) / 1000]);
    for (const [path, payload] of unlit) {
        const picture = watched();
        picture.receive(path, bytes(payload), base + 60_000, false);
        measure(picture, 20, 61);
        assert.deepEqual(points(picture), [[0, 60], [20, 20]], JSON.stringify(payload));
        // Of another time, and of a clock that nobody had set.
        measure(picture, -90, 62);
        measure(picture, 21, 63, { quality: "unsynchronised" });
        assert.deepEqual(points(picture), [[0, 60], [20, 20]], JSON.stringify(payload));
        assert.equal(picture.ahead, 0, JSON.stringify(payload));
    }
    const picture = new Picture("V1");
    measure(picture, -90, 0);
    assert.equal(picture.ahead, undefined);
});

test("Ages have words", () => {
    assert.equal(text("values.lateAge", { age: since(130_000, base) }), "2 min ago");
    assert.equal(text("values.lastAge", { age: since(undefined, base) }), "last known, at an unknown time");
    assert.equal(text("lampLast.on"), "last known: warning lamp on");
});

test("The clock of ages never goes back, and counts the time that the machine slept", () => {
    const clock = new Clock();
    assert.equal(clock.read(0, base), base);
    assert.equal(clock.read(1000, base + 1000), base + 1000);
    // The wall clock is set back; the monotonic one goes on.
    assert.equal(clock.read(2000, base - 500_000), base + 2000);
    // The machine sleeps for a minute.
    assert.equal(clock.read(2100, base - 440_000), base + 62_000);
    assert.equal(clock.read(2100, base - 450_000), base + 62_000);
});

test("The clock of ages does not run fast, however often it is read", () => {
    const clock = new Clock();
    let [monotonic, seed] = [0, 7];
    const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    let worst = 0;
    for (let reading = 0; reading < 1e6; reading += 1) {
        monotonic += 0.3 + random() * 39.7;
        worst = Math.max(worst, Math.abs(clock.read(monotonic, Math.floor(base + monotonic)) - base - monotonic));
    }
    assert.ok(worst < 50, `${worst} ms`);
    assert.equal(clock.jumps, 0);
});

test("The clock of ages notices each sleep and each correction of more than a second", () => {
    const clock = new Clock();
    let [monotonic, wall, slept] = [0, base, 0];
    clock.read(monotonic, wall);
    for (const gap of [60_000, 1500, 3 * 3600_000]) {
        [monotonic, wall, slept] = [monotonic + 50, wall + 50 + gap, slept + gap];
        assert.equal(clock.read(monotonic, wall), base + monotonic + slept);
        // Back again, and that does not count.
        wall -= gap;
        assert.equal(clock.read(monotonic, wall), base + monotonic + slept);
    }
    assert.equal(clock.jumps, 3);
});

test("The time of a message is unknown if it is to come, or if the vehicle's clock was never set", () => {
    assert.deepEqual([ago(base + 60_000, base), ago(base + 60_001, base), ago(undefined, base)], ["just now", "at an unknown time", "never"]);
    const picture = watched();
    assert.deepEqual([sent(picture, base - 7200_000, base), sent(picture, base + 5 * 3600_000, base), sent(picture, undefined, base)], ["2 h ago", "at an unknown time", "never"]);
    // This machine's clock is three hours behind, and a live reading shows it.
    picture.receive("parameters/engine_speed", bytes({ value: 900, quality: "good", time: at(3 * 3600) }), base, false);
    assert.equal(sent(picture, base + 3600_000, base), "2 h ago");
    assert.equal(sent(watched({ status: { clock: "unsynchronised" } }), base, base), "at an unknown time");
    assert.deepEqual([base - 149_000, base - 150_000, base + 60_000, base + 61_000, undefined].map((time) => isOld(time, base)), [false, true, false, true, true]);
    assert.deepEqual([date(1e300), date(NaN), date(undefined)], ["", "", ""]);
});

test("Four lamps tell broker, agent, link and vehicle; behind a dark one nothing is present", () => {
    const brief = (picture, isConnected = true) => lamps(picture, isConnected).map(({ state, isPresent }) => (isPresent ? state : `(${state})`));
    assert.deepEqual(brief(watched({ status: { ignition: "running" } })), ["connected", "online", "connected", "running"]);
    assert.deepEqual(brief(watched({ status: { parked: true, link: "waiting" } })), ["connected", "online", "waiting", "parked"]);
    assert.deepEqual(brief(watched({ status: { vehicle_confirmed: false } })), ["connected", "online", "connected", "unconfirmed"]);
    assert.deepEqual(brief(watched({ status: { link: "searching", ignition: "on" } })), ["connected", "online", "searching", "(on)"]);
    const gone = watched({ status: { ignition: "running" } });
    gone.receive("availability", bytes("offline"), base, false);
    assert.deepEqual(brief(gone), ["connected", "offline", "(connected)", "(running)"]);
    const lost = watched({ status: { ignition: "running" } });
    lost.lost(base);
    assert.deepEqual(brief(lost, false), ["lost", "(online)", "(connected)", "(running)"]);
    assert.deepEqual(lamps(lost, false).map(({ tone }) => tone), ["bad", "off", "off", "off"]);
    assert.deepEqual(brief(new Picture("V2")), ["connected", "(unknown)", "(unknown)", "(unknown)"]);
    for (const picture of [watched(), gone, lost]) {
        for (const { name, state } of lamps(picture, true)) assert.ok(optional(`vehicle.lampStates.${name}.${state}`), `${name} ${state}`);
    }
});

test("A history ends where nothing is known: at a lost connection, parking, or another vehicle", () => {
    const spans = (picture) => picture.histories.get("engine_speed").points.map((point) => [(point.at - base) / 1000, (point.until - base) / 1000]);
    const measure = (picture, seconds, isRetained = false) =>
        picture.receive("parameters/engine_speed", bytes({ value: seconds, quality: "good", time: at(seconds) }), base + seconds * 1000, isRetained);
    const ways = {
        lost: (picture) => picture.lost(base + 10_000),
        unfollow: (picture) => picture.unfollow(base + 10_000),
        parked: (picture) => picture.receive("status", bytes({ link: "connected", parked: true }), base + 10_000, false),
        offline: (picture) => picture.receive("availability", bytes("offline"), base + 10_000, false),
        searching: (picture) => picture.receive("status", bytes({ link: "searching" }), base + 10_000, false),
    };
    for (const [name, end] of Object.entries(ways)) {
        const picture = watched();
        assert.deepEqual(spans(picture), [[0, 70]]);
        end(picture);
        assert.deepEqual(spans(picture), [[0, 10]], name);
        picture.receive("availability", bytes("online"), base + 49_000, true);
        picture.receive("status", bytes({ link: "connected", parked: false }), base + 49_000, true);
        // The retained value that was there already says nothing new; the next one does.
        measure(picture, 0, true);
        measure(picture, 50);
        assert.deepEqual(spans(picture), [[0, 10], [50, 120]], name);
    }
});

test("A value that nobody says is the present one is no line, and a retained one of unknown age is no point", () => {
    const picture = new Picture("V1");
    picture.receive("parameters/engine_speed", bytes({ value: 800, quality: "good", time: at(0) }), base, true);
    assert.deepEqual(picture.histories.get("engine_speed").points, []);
    picture.receive("parameters/engine_speed", bytes({ value: 800, quality: "good", time: at(1) }), base + 1000, false);
    assert.deepEqual(picture.histories.get("engine_speed").points, [{ at: base + 1000, value: 800, until: base + 1000 }]);
    assert.deepEqual(watched({ isRetained: true, quality: "unsynchronised" }).histories.get("engine_speed").points, []);
});
