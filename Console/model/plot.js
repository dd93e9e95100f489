// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The arithmetic of gauges and plots: numbers in, numbers and SVG paths out.

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

/** The ticks for some numbers. Without a negative number there is no negative tick. */
function scale(numbers, least) {
    let [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    const missing = Math.max(0, least - (high - low)) / 2;
    const floor = low >= 0 ? 0 : -Infinity;
    low = Math.max(floor, low - missing);
    high = Math.max(high + missing, low + least);
    return ticks(low, high);
}

/**
 * A step plot: a value is valid until the next value, or until nothing is known any more.
 *
 * @param least the least range of the height, so that small changes look small
 */
export function plot(points, { from, to, width, height, least = 0 }) {
    const spans = points.map((point, index) => {
        const [end, next] = [point.until ?? Infinity, points[index + 1]?.at ?? Infinity];
        return { ...point, end: Math.min(end, next, to), isJoined: next <= Math.min(end, to) };
    });
    const visible = spans.filter((span) => span.at <= to && (span.at >= from || span.end > from));
    if (visible.length === 0) return { path: "", area: "", labels: [], last: undefined };
    const labels = scale(visible.map((span) => span.value), least);
    const [low, high] = [labels[0], labels[labels.length - 1]];
    const x = (at) => Math.round(((Math.max(at, from) - from) / (to - from)) * width * 10) / 10;
    const y = (value) => Math.round((1 - (value - low) / (high - low)) * height * 10) / 10;
    let [path, area, begin] = ["", "", undefined];
    for (const span of visible) {
        if (begin === undefined) {
            begin = { x: x(span.at), at: path.length };
            path += `M${begin.x} ${y(span.value)}`;
        } else path += `V${y(span.value)}`;
        path += `H${x(span.end)}`;
        if (span.isJoined) continue;
        area += `${path.slice(begin.at)}V${height}H${begin.x}Z`;
        begin = undefined;
    }
    const last = visible[visible.length - 1];
    return {
        path, area,
        labels: labels.map((value) => ({ value, y: y(value) })),
        // The newest value is the present one only if it is still known.
        last: last.end >= to ? { x: width, y: y(last.value) } : undefined,
    };
}

/** The values of a time span as a table, for users who do not see the plot. */
export function summary(points, { from, to, rows = 12 }) {
    const result = [];
    for (let row = 0; row < rows; row += 1) {
        const [start, end] = [from + ((to - from) * row) / rows, from + ((to - from) * (row + 1)) / rows];
        const inside = points.filter((point) => point.at >= start && point.at < end).map((point) => point.value);
        if (inside.length > 0) {
            result.push({ start, end, lowest: Math.min(...inside), highest: Math.max(...inside), last: inside[inside.length - 1] });
        }
    }
    return result;
}

/** The scale of a gauge, [low, high]; undefined for a parameter without a gauge. */
export function range(name, unit, { isDiesel = false } = {}) {
    const known = {
        engine_speed: { rpm: [0, isDiesel ? 5500 : 8000] },
        vehicle_speed: { "km/h": [0, 240], mph: [0, 150] },
        coolant_temperature: { "°C": [-20, 130], "°F": [0, 270] },
        engine_oil_temperature: { "°C": [-20, 150], "°F": [0, 300] },
        control_module_voltage: { V: [8, 16] },
    };
    const limits = Object.hasOwn(known, name) ? known[name][unit] : undefined;
    return limits ?? (unit === "%" && !name.includes("trim") ? [0, 100] : undefined);
}

/** The position of a value in a range: 0 to 1. */
export const fraction = (value, [low, high]) => Math.min(1, Math.max(0, (value - low) / (high - low)));

/** An arc around 0 from the lower left over the top, by a fraction of 240 degrees. */
export function arc(part, radius) {
    const [start, sweep] = [Math.PI * (5 / 6), Math.PI * (4 / 3)];
    const at = (angle) => `${(Math.cos(angle) * radius).toFixed(2)} ${(Math.sin(angle) * radius).toFixed(2)}`;
    return `M${at(start)}A${radius} ${radius} 0 ${part * 240 > 180 ? 1 : 0} 1 ${at(start + sweep * part)}`;
}
