// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The results of the on-board tests (services 05 and 06), and in-use performance (service 09).

import { flag, list, members, number, object, text, time } from "./json.js";

/** The largest numbers of results and of ECUs to show; more than a vehicle has. */
export const resultLimit = 1000;
export const ecuLimit = 64;

const ranks = { failed: 0, unknown: 1, passed: 2, not_run: 3 };

/** The share of the way from the middle of the limits, or from 0, to the nearest limit: 1 is at the limit. */
export function closeness({ value, minimum, maximum }) {
    if (value === undefined) return undefined;
    if (minimum !== undefined && maximum !== undefined) {
        const half = (maximum - minimum) / 2;
        return half > 0 ? Math.abs(value - (minimum + half)) / half : undefined;
    }
    if (maximum !== undefined) return maximum > 0 && value >= 0 ? value / maximum : undefined;
    if (minimum !== undefined) return value > 0 && minimum >= 0 ? minimum / value : undefined;
    return undefined;
}

function result(item) {
    const body = object(item);
    const [ecu, service, test] = [text(body.ecu), text(body.service), text(body.test)];
    if (ecu === undefined || service === undefined || test === undefined) return undefined;
    const found = {
        ecu, service, test, monitor: text(body.monitor), subject: text(body.subject), quantity: text(body.quantity), component: number(body.component),
        value: number(body.value), minimum: number(body.minimum), maximum: number(body.maximum), unit: text(body.unit) ?? "", verdict: text(body.verdict),
    };
    return { ...found, closeness: closeness(found) };
}

/** The test results: their time, the ECUs whose results are not all there, and the results, failed ones first; undefined if there are none. */
export function tests(monitors) {
    const body = object(object(monitors).tests);
    const at = time(body.time);
    if (at === undefined) return undefined;
    const results = list(body.results).slice(0, resultLimit).map(result).filter((one) => one !== undefined);
    const rank = (one) => (Object.hasOwn(ranks, one.verdict) ? ranks[one.verdict] : 4);
    results.sort((one, other) => rank(one) - rank(other) || compare(one.ecu, other.ecu) || compare(one.monitor ?? one.test, other.monitor ?? other.test)
        || compare(one.test, other.test));
    const count = (verdict) => results.filter((one) => one.verdict === verdict).length;
    return {
        time: at, results,
        counts: { failed: count("failed"), passed: count("passed"), not_run: count("not_run"), unknown: count("unknown") },
        lacking: members(body.ecus).slice(0, ecuLimit).filter(([, state]) => state === "incomplete" || state === "unread").map(([ecu, state]) => ({ ecu, state })),
    };
}

const compare = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

/** In-use performance of the ECUs that have it: cycles, conditions, and each monitor's completions, conditions and ratio. */
export function performance(vehicle) {
    return list(object(vehicle).ecus).slice(0, ecuLimit).flatMap((item) => {
        const body = object(object(item).in_use_performance);
        const monitors = members(body.monitors).slice(0, 100).flatMap(([name, state]) => {
            const [completions, conditions] = [number(object(state).completions), number(object(state).conditions)];
            return completions === undefined || conditions === undefined ? [] : [{ name, completions, conditions, ratio: number(object(state).ratio) }];
        });
        if (monitors.length === 0 || text(object(item).ecu) === undefined) return [];
        monitors.sort((one, other) => compare(one.name, other.name));
        return [{
            ecu: item.ecu, name: text(item.name), ignition: text(body.ignition),
            cycles: number(body.ignition_cycles), conditions: number(body.monitoring_conditions), monitors,
        }];
    });
}

/** Readiness by ECU, if more than one reports it: each with its lamp, its number of codes and its monitors. */
export function readinessByECU(monitors) {
    const found = members(object(monitors).ecus).slice(0, ecuLimit).map(([ecu, state]) => ({
        ecu, mil: flag(object(state).mil), count: number(object(state).code_count),
        incomplete: members(object(state).monitors).filter(([, one]) => one === "incomplete").map(([name]) => name),
    }));
    return found.length > 1 ? found : [];
}

/** The monitors of the present driving cycle as of the last `read_monitors`; undefined if they were not read. */
export function cycle(monitors) {
    const body = object(object(monitors).cycle);
    const at = time(body.time);
    if (at === undefined) return undefined;
    const states = members(body.monitors).map(([name, state]) => ({ name, isComplete: state === "complete" }));
    return { time: at, states: states.sort((one, other) => compare(one.name, other.name)) };
}
