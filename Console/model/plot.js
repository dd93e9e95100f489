// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The arithmetic of gauges and plots: numbers in, numbers and SVG paths out.

import { converted } from "./units.js";

const rounded = (number) => Math.round(number * 10) / 10;

/** A round number not below this one: 1, 2, 2.5 or 5 times a power of ten. */
function roundUp(size) {
    const power = 10 ** Math.floor(Math.log10(size));
    return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= size * 0.999999);
}

/** Round numbers that cover a range, about `count` of them. */
export function ticks(low, high, count = 4) {
    if (!(high > low)) [low, high] = [low - 1, high + 1];
    const step = roundUp((high - low) / count);
    const first = Math.floor(low / step + 1e-9);
    const last = Math.ceil(high / step - 1e-9);
    const result = [];
    for (let index = first; index <= last; index += 1) result.push(Number((index * step).toPrecision(12)));
    return result;
}

/** The ticks of an axis for values from `low` to `high`. Without a negative value there is no negative tick. */
export function scale(low, high, least = 0) {
    const missing = Math.max(0, least - (high - low)) / 2;
    const floor = low >= 0 ? 0 : -Infinity;
    const begin = Math.max(floor, low - missing);
    return ticks(begin, Math.max(high + missing, begin + least));
}

/**
 * The vertical axes of series in one plot: those with the same unit share one.
 *
 * Each has its `labels` in the wanted units, its `low` and `high` in the unit of the series, and `y` for a value in that
 * unit. An axis without known values has no labels.
 *
 * @param series each with its history, its unit, the least range of its axis, and the values of its limits as `lines`
 */
export function axes(series, { from, to, height, units }) {
    const found = new Map();
    for (const { history, unit = "", least = 0, lines = [] } of series) {
        const axis = found.get(unit) ?? { unit, low: Infinity, high: -Infinity, least: 0, limits: [] };
        const extent = history.extent(from, to);
        found.set(unit, {
            ...axis,
            low: Math.min(axis.low, extent?.low ?? Infinity), high: Math.max(axis.high, extent?.high ?? -Infinity),
            least: Math.max(axis.least, least), limits: [...axis.limits, ...lines.map((line) => line.value)],
        });
    }
    for (const axis of found.values()) {
        if (axis.low > axis.high) continue;
        // A limit that is not far away is shown.
        const reach = Math.max(axis.high - axis.low, axis.least);
        const near = axis.limits.filter((value) => value >= axis.low - reach && value <= axis.high + reach);
        const inUnits = (value) => converted(value, axis.unit, units).value;
        const [zero, step] = [inUnits(0), inUnits(1) - inUnits(0)];
        const labels = scale(inUnits(Math.min(axis.low, ...near)), inUnits(Math.max(axis.high, ...near)), axis.least * step);
        const [bottom, top] = [labels[0], labels[labels.length - 1]].map((value) => (value - zero) / step);
        axis.y = (value) => rounded((1 - (value - bottom) / (top - bottom)) * height);
        axis.labels = labels.map((value) => ({ value, y: axis.y((value - zero) / step) }));
        [axis.low, axis.high] = [bottom, top];
    }
    return found;
}

/**
 * A line of steps as an SVG path: a value is valid until the next value, or until nothing is known any more.
 *
 * Of the points within one pixel only the first, the lowest, the highest and the last are drawn, so a path is never long.
 */
export function trace(history, { from, to, width, height, low, high, hasArea = false }) {
    const x = (at) => ((Math.min(Math.max(at, from), to) - from) / (to - from)) * width;
    const y = (value) => rounded((1 - (value - low) / (high - low)) * height);
    let [path, area] = ["", ""];
    // The present line: where it begins in the path, and the pixel whose points are collected.
    let line;
    const flush = () => {
        if (line.lowest < Math.min(line.entry, line.value)) path += `V${y(line.lowest)}`;
        if (line.highest > Math.max(line.entry, line.value)) path += `V${y(line.highest)}`;
        if (y(line.value) !== y(line.entry) || line.lowest !== line.highest) path += `V${y(line.value)}`;
    };
    for (let index = history.first(from); index < history.length && history.at(index) <= to; index += 1) {
        const [at, value, end] = [x(history.at(index)), history.value(index), history.end(index)];
        if (end < from || (history.at(index) < from && end <= from)) continue;
        if (!line) {
            line = { begin: path.length, x: rounded(at), pixel: Math.floor(at), entry: value, value, lowest: value, highest: value };
            path += `M${line.x} ${y(value)}`;
        } else if (Math.floor(at) === line.pixel) {
            line.value = value;
            line.lowest = Math.min(line.lowest, value);
            line.highest = Math.max(line.highest, value);
        } else {
            flush();
            path += `H${rounded(at)}`;
            if (y(value) !== y(line.value)) path += `V${y(value)}`;
            Object.assign(line, { pixel: Math.floor(at), entry: value, value, lowest: value, highest: value });
        }
        // A gap that is narrower than half a pixel cannot be seen.
        if (index + 1 < history.length && history.at(index + 1) <= to && x(history.at(index + 1)) - x(end) < 0.5) continue;
        flush();
        path += `H${rounded(x(end))}`;
        if (hasArea) area += `${path.slice(line.begin)}V${height}H${line.x}Z`;
        line = undefined;
    }
    return { path, area };
}

/** The values of a time span as a table, for users who do not see the plot. */
export function summary(history, { from, to, rows = 12 }) {
    const result = [];
    let index = history.first(from);
    for (let row = 0; row < rows; row += 1) {
        const [start, end] = [from + ((to - from) * row) / rows, from + ((to - from) * (row + 1)) / rows];
        let [lowest, highest, last] = [Infinity, -Infinity, undefined];
        for (; index < history.length && (history.at(index) < end || (row === rows - 1 && history.at(index) === end)); index += 1) {
            if (history.at(index) < start) continue;
            last = history.value(index);
            lowest = Math.min(lowest, last);
            highest = Math.max(highest, last);
        }
        if (last !== undefined) result.push({ start, end, lowest, highest, last });
    }
    return result;
}

/** The position of a value in a range: 0 to 1. */
export const fraction = (value, [low, high]) => Math.min(1, Math.max(0, (value - low) / (high - low)));

/** An arc around 0 from the lower left over the top, by a fraction of 240 degrees. */
export function arc(part, radius) {
    const [start, sweep] = [Math.PI * (5 / 6), Math.PI * (4 / 3)];
    const at = (angle) => `${(Math.cos(angle) * radius).toFixed(2)} ${(Math.sin(angle) * radius).toFixed(2)}`;
    return `M${at(start)}A${radius} ${radius} 0 ${part * 240 > 180 ? 1 : 0} 1 ${at(start + sweep * part)}`;
}
