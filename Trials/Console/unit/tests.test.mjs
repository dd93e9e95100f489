// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";

import { ecuName, ecus, identity } from "../../../Console/model/identity.js";
import { Picture } from "../../../Console/model/picture.js";
import { closeness, cycle, performance, readinessByECU, resultLimit, tests } from "../../../Console/model/tests.js";

const time = "2026-11-22T10:00:00.000Z";
const result = (more) => ({ ecu: "7E8", service: "06", monitor: "A2", test: "0B", subject: "misfire cylinder 1", value: 3, minimum: 0, maximum: 10, verdict: "passed", ...more });

test("Failed tests come first, and what could not be read is told", () => {
    const found = tests({ tests: { time, ecus: { "7E8": "read", "7E9": "incomplete", "7EA": "unread", "7EB": "not_supported" }, results: [
        result({}), result({ verdict: "not_run", value: undefined, test: "0C" }), result({ verdict: "failed", value: 12, monitor: "A3" }), result({ verdict: undefined, service: "05" }),
    ] } });
    assert.equal(found.time, Date.parse(time));
    assert.deepEqual(found.results.map((one) => one.verdict), ["failed", "passed", "not_run", undefined]);
    assert.deepEqual(found.counts, { failed: 1, passed: 1, not_run: 1, unknown: 0 });
    assert.deepEqual(found.lacking, [{ ecu: "7E9", state: "incomplete" }, { ecu: "7EA", state: "unread" }]);
});

test("Tests that were never read are no passed ones", () => {
    for (const wrong of [undefined, {}, { tests: {} }, { tests: 7 }, { tests: { results: [result({})] } }]) assert.equal(tests(wrong), undefined);
    assert.deepEqual(tests({ tests: { time, results: [7, null, {}, "x"], ecus: 3 } }).results, []);
    assert.equal(tests({ tests: { time, results: Array(resultLimit + 5).fill(result({})) } }).results.length, resultLimit);
});

test("The closeness to a limit is that to the nearest one", () => {
    assert.equal(closeness({ value: 5, minimum: 0, maximum: 10 }), 0);
    assert.equal(closeness({ value: 9, minimum: 0, maximum: 10 }), 0.8);
    assert.equal(closeness({ value: 12, minimum: 0, maximum: 10 }), 1.4);
    assert.equal(closeness({ value: 8, maximum: 10 }), 0.8);
    assert.equal(closeness({ value: 20, minimum: 10 }), 0.5);
    for (const none of [{}, { value: 1 }, { value: 1, minimum: 2, maximum: 2 }, { value: -1, maximum: 3 }]) assert.equal(closeness(none), undefined);
});

test("In-use performance has the counters of each ECU that keeps them", () => {
    const vehicle = { ecus: [
        { ecu: "7E8", name: "ECM", in_use_performance: { ignition: "spark", ignition_cycles: 900, monitoring_conditions: 400, monitors: {
            evap: { completions: 3, conditions: 9, ratio: 0.333 }, catalyst_bank_1: { completions: 0, conditions: 0 }, wrong: 7 } } },
        { ecu: "7E9" },
    ] };
    const [one, ...others] = performance(vehicle);
    assert.deepEqual(others, []);
    assert.deepEqual([one.ecu, one.cycles, one.conditions], ["7E8", 900, 400]);
    assert.deepEqual(one.monitors.map((row) => [row.name, row.ratio]), [["catalyst_bank_1", undefined], ["evap", 0.333]]);
    assert.deepEqual(performance(undefined), []);
});

test("Readiness by ECU and the present driving cycle are there if they were read", () => {
    const monitors = { ecus: { "7E8": { mil: true, code_count: 1, monitors: { evap: "incomplete", fuel: "complete" } }, "7E9": { mil: false, code_count: 0, monitors: {} } },
        cycle: { time, monitors: { fuel: "complete", evap: "incomplete" }, ecus: {} } };
    assert.deepEqual(readinessByECU(monitors), [{ ecu: "7E8", mil: true, count: 1, incomplete: ["evap"] }, { ecu: "7E9", mil: false, count: 0, incomplete: [] }]);
    assert.deepEqual(readinessByECU({ ecus: { "7E8": {} } }), []);
    assert.deepEqual(cycle(monitors).states, [{ name: "evap", isComplete: false }, { name: "fuel", isComplete: true }]);
    assert.equal(cycle({}), undefined);
});

test("An ECU has its name, its calibrations with their sums, and what it answers", () => {
    const vehicle = { ecus: [
        { ecu: "7E8", name: "ECM-EngineControl ", vin: "ZZZSMVLATR4700893", calibration_ids: ["A", "B"], calibration_verification_numbers: ["1791BC82", "00000001", "00000002"],
            supported: ["engine_speed", "0166"], unread: ["engine_serial_number"] }, { name: "nameless" }, 7,
    ] };
    assert.deepEqual(ecus(vehicle), [{
        ecu: "7E8", name: "ECM-EngineControl", vin: "ZZZSMVLATR4700893", calibrations: [{ id: "A", sum: "1791BC82" }, { id: "B", sum: "00000001" }], sums: ["00000002"],
        serial: undefined, approval: undefined, supported: ["engine_speed", "0166"], unread: ["engine_serial_number"],
    }]);
    assert.equal(ecuName(vehicle, "7E8"), "ECM-EngineControl");
    assert.equal(ecuName(vehicle, "7E9"), undefined);
    assert.deepEqual(ecus({ ecus: 7 }), []);
});

test("The identity has what is known, and nothing else", () => {
    const picture = new Picture("V1");
    assert.deepEqual(identity(picture), { time: undefined, facts: {} });
    const say = (path, json) => picture.receive(path, new TextEncoder().encode(JSON.stringify(json)), 0, true);
    say("vehicle", { time, vin: "ZZZSMVLATR4700893", vin_check_digit: "wrong", protocol: "ISO 15765-4 (CAN 11/500)", dialect: "j1979", signal_set: { name: "Some car", year: 2021, share: 0.9 } });
    say("status", { version: "0.1.0", adapter: { identity: "ELM327 v1.5" } });
    assert.deepEqual(identity(picture), { time: Date.parse(time), facts: {
        vin: "ZZZSMVLATR4700893", vin_check_digit: "wrong", protocol: "ISO 15765-4 (CAN 11/500)", dialect: "j1979", signal_set: "Some car 2021",
        signal_set_share: 0.9, adapter: "ELM327 v1.5", agent: "0.1.0",
    } });
});
