// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The units that the user wants: those of the agent's values, metric, British or US ones.

/** The choices of the switch; `sent`: as the agent has them. */
export const systems = ["sent", "metric", "british", "us"];

/** Metric units with their US counterparts: the factor and the offset. */
const pairs = [
    ["°C", "°F", 9 / 5, 32],
    ["km", "mi", 1 / 1.609344, 0],
    ["km/h", "mph", 1 / 1.609344, 0],
    ["kWh/100 km", "kWh/100 mi", 1.609344, 0],
    ["kPa", "psi", 0.1450377377, 0],
    ["Pa", "inH2O", 0.00401463, 0],
    ["g/s", "lb/min", 0.1322773573, 0],
    ["kg/h", "lb/h", 2.2046226218, 0],
    ["L", "gal(US)", 0.2641720524, 0],
    ["L/h", "gal(US)/h", 0.2641720524, 0],
    ["N·m", "lb·ft", 0.7375621493, 0],
    // Air pressures only.
    ["kPa", "inHg", 0.2952998751, 0],
];
/** The units that British drivers use of these. */
const british = new Set(["mi", "mph", "kWh/100 mi"]);
const there = pairs.map(([metric, other, factor, offset]) => ({ from: metric, unit: other, factor, offset }));
const back = pairs.map(([metric, other, factor, offset]) => ({ from: other, unit: metric, factor: 1 / factor, offset: -offset / factor }));
const ways = {
    us: there,
    metric: back,
    british: [...there.filter(({ unit }) => british.has(unit)), ...back.filter(({ from }) => !british.has(from))],
};

/**
 * A number in the units of a system. What has no counterpart stays as it is.
 *
 * @param preferred the unit to choose if a unit has more than one counterpart: the shared words have it
 */
export function converted(value, unit, system, preferred) {
    const found = Object.hasOwn(ways, system) ? ways[system].filter(({ from }) => from === unit) : [];
    const way = found.find((one) => one.unit === preferred) ?? found[0];
    return way && typeof value === "number" ? { value: value * way.factor + way.offset, unit: way.unit } : { value, unit };
}

/** The unit in which a system shows a unit. */
export const unitIn = (unit, system, preferred) => converted(0, unit, system, preferred).unit;

/** The liters per 100 km that are one mile per gallon. */
const economies = { british: { unit: "mpg(UK)", factor: 282.480936 }, us: { unit: "mpg(US)", factor: 235.214583 } };

/**
 * A figure of a trip in the units of a system: as `converted`, and fuel consumption in miles per gallon.
 *
 * That one is no straight line, so plots do not have it.
 */
export function figure(value, unit, system) {
    const economy = unit === "L/100 km" && value > 0 && Object.hasOwn(economies, system) ? economies[system] : undefined;
    return economy ? { value: economy.factor / value, unit: economy.unit } : converted(value, unit, system);
}

let chosen = systems[0];
let sent = systems[0];
/** Uses the units of a system from now on. */
export function useUnits(system) { if (systems.includes(system)) chosen = system; }

/**
 * Takes the units that the agent of the shown vehicle uses for its values.
 *
 * Trips, freeze frames, captures and tracks are always metric. As sent, they are shown in the units of the values beside.
 *
 * @param parameters the readings by series
 * @param words gives the shared words about a parameter; they tell which unit is metric
 */
export function take(parameters, words) {
    sent = systems[0];
    for (const [series, { unit }] of parameters) {
        const known = words(series.split("/")[0]);
        if (known?.imperial === undefined || (unit !== known.unit && unit !== known.imperial.unit)) continue;
        if (unit === known.imperial.unit) sent = "us";
        return;
    }
}

/** The system of the units that the page shows. */
export const units = () => (chosen === systems[0] ? sent : chosen);
