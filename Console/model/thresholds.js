// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The limits that a plot draws: those of the agent's configuration, and those of the gauge.

import { flag, members, object, text } from "./json.js";
import { limitLimit } from "./limits.js";
import { converted } from "./units.js";
import { gauge } from "./values.js";

/** The largest number of lines in a plot. */
const lineLimit = 8;

const name = /^[a-z][a-z0-9_]{0,99}$/;
const joints = /\band\b|\bor\b|\bnot\b|&&|\|\||[()]/;
const after = /^\s*([a-z][a-z0-9_]*)\s*(<=|>=|<|>)\s*(-?\d+(?:\.\d+)?)\s*$/;
const before = /^\s*(-?\d+(?:\.\d+)?)\s*(<=|>=|<|>)\s*([a-z][a-z0-9_]*)\s*$/;
const turned = { "<": ">", ">": "<", "<=": ">=", ">=": "<=" };

/** The comparisons of one value with one number in a condition. What is computed there has no line. */
export function comparisons(condition) {
    return condition.slice(0, 512).split(joints).flatMap((part) => {
        const [one, other] = [after.exec(part), before.exec(part)];
        if (one) return [{ name: one[1], sign: one[2], value: Number(one[3]) }];
        return other ? [{ name: other[3], sign: turned[other[2]], value: Number(other[1]) }] : [];
    });
}

/** The metric value of a limit in the unit of a reading; undefined if it cannot be told. */
function inUnit(value, words, unit) {
    if (words?.unit === undefined || words.unit === unit) return value;
    const found = converted(value, words.unit, "us", words.imperial?.unit);
    return found.unit === unit ? found.value : undefined;
}

/**
 * The lines of a series: their values in its unit, the names of their limits, and whether these are exceeded.
 *
 * A line of the gauge has a degree, `warning` or `danger`, and no name.
 */
export function thresholds(picture, series, words, unit) {
    const known = series.split("/")[0];
    const lines = [];
    // The conditions are about the first values of their names, so not about those that another ECU repeats.
    if (!series.includes("/")) {
        for (const [key, state] of members(object(picture.limits).limits).slice(0, limitLimit).filter(([key]) => name.test(key))) {
            for (const one of comparisons(text(object(state).when) ?? "")) {
                // A value goes by its name, or by its role if no value has that name.
                const isMeant = one.name === known || (!picture.parameters.has(one.name) && picture.named(one.name)[0] === series);
                const value = isMeant ? inUnit(one.value, words, unit) : undefined;
                if (value !== undefined) lines.push({ value, sign: one.sign, name: key, isExceeded: flag(object(state).exceeded) === true });
            }
        }
    }
    const found = gauge(words, unit);
    for (const degree of ["danger", "warning"]) {
        (found?.[degree] ?? []).forEach((value, index) => value !== undefined && lines.push({ value, sign: index === 0 ? "<" : ">", degree }));
    }
    // What the configuration repeats is drawn once, with its name.
    return lines.filter((line, index) => lines.findIndex((one) => one.value === line.value && one.sign === line.sign) === index).slice(0, lineLimit);
}
