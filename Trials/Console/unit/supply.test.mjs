// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import assert from "node:assert/strict";
import { test } from "node:test";

import { Picture } from "../../../Console/model/picture.js";
import "./english.mjs";
import "./document.mjs";
import { supply } from "../../../Console/model/supply.js";
import { headerView } from "../../../Console/views/header.js";

const base = Date.parse("2026-11-26T10:00:00.000Z");
const at = (seconds) => new Date(base + seconds * 1000).toISOString();
const status = (volts, seconds) => ({ link: "connected", parked: false, ignition: "running", live_within: 60, battery: { voltage: volts, time: at(seconds) } });

function picture() {
    const made = new Picture("V1");
    const say = (path, json, now = base, isRetained = false) => made.receive(path, new TextEncoder().encode(typeof json === "string" ? json : JSON.stringify(json)), now, isRetained);
    say("availability", "online");
    return { made, say };
}

test("The newer one of the status and the parameter is the voltage", () => {
    const { made, say } = picture();
    assert.equal(supply(made, base), undefined);
    say("status", status(10.5, 0));
    assert.deepEqual(supply(made, base + 3_000), { volts: 10.5, age: 3_000 });
    say("parameters/supply_voltage", { value: 14.1, unit: "V", quality: "good", time: at(2) }, base + 2_000);
    assert.deepEqual(supply(made, base + 3_000), { volts: 14.1, age: 1_000 });
    say("status", status(14.2, 30), base + 30_000);
    assert.deepEqual(supply(made, base + 31_000), { volts: 14.2, age: 1_000 });
    // One without a time is older than any other.
    say("status", { ...status(9, 0), battery: { voltage: 9 } }, base + 40_000);
    assert.equal(supply(made, base + 41_000).volts, 14.1);
    say("parameters/supply_voltage", { value: "much" }, base + 41_000);
    assert.deepEqual(supply(made, base + 41_000), { volts: 9, age: undefined });
});

test("The header tells the age of a voltage that is older than ten seconds, also while the vehicle drives", () => {
    const view = headerView({ wake() {}, print() {} });
    const { made, say } = picture();
    say("status", status(12.4, 0));
    view.count(1, true, {});
    const facts = (seconds) => {
        view.update(made, base + seconds * 1000);
        return /Battery: ([^·]*)/.exec(view.node.textContent)[1].trim();
    };
    assert.match(facts(9), /^12\.4 V(?!,)/);
    assert.match(facts(25), /^12\.4 V, 25 s ago/);
    say("parameters/supply_voltage", { value: 14.11, unit: "V", quality: "good", time: at(26) }, base + 26_000);
    assert.match(facts(27), /^14\.1 V(?!,)/);
    say("availability", "offline", base + 28_000);
    assert.match(facts(29), /^14\.1 V, just now/);
});
