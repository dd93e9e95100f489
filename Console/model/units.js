// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The units that the user wants: those of the message, metric ones or imperial ones.

/** The choices of the switch; `sent`: as the agent has them. */
export const systems = ["sent", "metric", "imperial"];

/** Metric units with their imperial counterparts: the factor and the offset. */
const pairs = [
    ["°C", "°F", 9 / 5, 32],
    ["km", "mi", 1 / 1.609344, 0],
    ["km/h", "mph", 1 / 1.609344, 0],
    ["kPa", "psi", 0.1450377377, 0],
    ["Pa", "inH2O", 0.00401463, 0],
    ["g/s", "lb/min", 0.1322773573, 0],
    ["kg/h", "lb/h", 2.2046226218, 0],
    ["L/h", "gal(US)/h", 0.2641720524, 0],
    ["N·m", "lb·ft", 0.7375621493, 0],
    // Air pressures only.
    ["kPa", "inHg", 0.2952998751, 0],
];
const ways = {
    imperial: pairs.map(([metric, imperial, factor, offset]) => ({ from: metric, unit: imperial, factor, offset })),
    metric: pairs.map(([metric, imperial, factor, offset]) => ({ from: imperial, unit: metric, factor: 1 / factor, offset: -offset / factor })),
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

/** The next choice of the switch. */
export const next = (system) => systems[(systems.indexOf(system) + 1) % systems.length];

let chosen = systems[0];
/** Uses the units of a system from now on. */
export function useUnits(system) { if (systems.includes(system)) chosen = system; }
/** The system of the user's choice. */
export const units = () => chosen;
