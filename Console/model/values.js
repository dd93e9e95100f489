// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The values of a vehicle as the page shows them: in groups, found by a search, with their limits.

import { freshness } from "./age.js";
import { number } from "./json.js";
import { converted } from "./units.js";

/** The values that come first, without a group of their own. */
export const first = ["vehicle_speed", "engine_speed", "coolant_temperature", "engine_load", "fuel_level", "control_module_voltage"];
/** The number of values from which they are grouped, and from which a search is offered. */
export const groupsFrom = 13;
export const searchFrom = 9;

/** The name of a value by which it is known: one with a role counts as the standard's. */
export function known(series, picture) {
    const role = picture.role(series);
    return first.includes(role) ? role : series.split("/")[0];
}

/** Whether all words of a search are in one of the texts. */
export function matches(search, ...texts) {
    const text = texts.join(" ").toLowerCase();
    return search.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/**
 * The series to show, in groups: `[{ name, series }]`.
 *
 * The traction battery comes first, then the most wanted values. Few others follow in one group, many in the groups of
 * the shared words. Values that other ECUs repeat come last in their group.
 *
 * @param words the shared words: `title(series)`, and `parameter(name)`, undefined for an unknown one
 */
export function arranged(picture, words, search = "") {
    const wanted = search.trim();
    const battery = picture.battery;
    const isFound = (series) => wanted === "" || matches(wanted, series, words.title(series));
    const found = [...picture.parameters.keys()].filter(isFound);
    const place = (series) => (series.includes("/") ? -1 : first.indexOf(known(series, picture)));
    const titles = new Map(found.map((series) => [series, words.title(series)]));
    const order = (one, other) => Number(one.includes("/")) - Number(other.includes("/"))
        || (titles.get(one) < titles.get(other) ? -1 : titles.get(one) > titles.get(other) ? 1 : one < other ? -1 : 1);
    const groups = [];
    const add = (name, series) => series.length > 0 && groups.push({ name, series });
    add("traction_battery", battery.filter(isFound));
    const others = found.filter((series) => !battery.includes(series));
    add("first", others.filter((series) => place(series) >= 0).sort((one, other) => place(one) - place(other)));
    const rest = others.filter((series) => place(series) < 0).sort(order);
    if (rest.length < groupsFrom) {
        add("other", rest);
        return groups;
    }
    const byGroup = new Map();
    for (const series of rest) {
        const name = words.parameter(series.split("/")[0])?.group ?? "other";
        if (!byGroup.has(name)) byGroup.set(name, []);
        byGroup.get(name).push(series);
    }
    for (const [name, series] of [...byGroup].sort(([one], [other]) => Number(one === "other") - Number(other === "other") || (one < other ? -1 : 1))) {
        add(name, series);
    }
    return groups;
}

/**
 * The digits after the point that a person can use of a number.
 *
 * @param words the shared words about the parameter: `decimals` in its `unit`, and in its imperial one; undefined for an unknown one
 */
export function decimals(value, unit, words) {
    const known = [words, words?.imperial].find((one) => one?.unit === unit && number(one?.decimals) !== undefined);
    if (known) return Math.min(6, Math.max(0, known.decimals));
    const size = Math.abs(value);
    return Number.isInteger(value) || size >= 100 ? 0 : size >= 10 ? 1 : 2;
}

/** The gauge of a value in the unit of its reading: its range and its limits; undefined without one. */
export function gauge(words, unit, { isDiesel = false } = {}) {
    const found = (isDiesel ? words?.dieselGauge : undefined) ?? words?.gauge ?? {};
    if (!(found.maximum > found.minimum)) return undefined;
    const system = ["sent", "us"].find((one) => converted(0, words.unit, one, words.imperial?.unit).unit === unit);
    if (system === undefined) return undefined;
    const at = (limit) => (number(limit) === undefined ? undefined : converted(limit, words.unit, system, words.imperial?.unit).value);
    return {
        range: [at(found.minimum), at(found.maximum)],
        danger: [at(found.dangerBelow), at(found.dangerAbove)], warning: [at(found.warnBelow), at(found.warnAbove)],
    };
}

/** The limit that a value passes: its degree, `danger` or `warning`, whether the value is above it, and the limit; undefined if it passes none. */
export function passed(value, found) {
    for (const degree of ["danger", "warning"]) {
        const [low, high] = found?.[degree] ?? [];
        if (value > high) return { degree, isAbove: true, limit: high };
        if (value < low) return { degree, isAbove: false, limit: low };
    }
    return undefined;
}

/** The values as they are at one moment, such as on paper: each with its state and its age. */
export const snapshot = (picture, words, now) => arranged(picture, words).map(({ name, series }) => ({
    name, rows: series.map((one) => ({ series: one, reading: picture.parameters.get(one), ...freshness(picture, one, picture.parameters.get(one), now) })),
}));
