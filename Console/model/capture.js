// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Captures: everything that was read around the moment at which something happened, out of events.

import { list, members, number, object, text, time } from "./json.js";

/** The largest number of captures to keep for a vehicle. */
export const captureLimit = 20;
/** The largest number of series, and of readings in each; more than a record of an agent has. */
const seriesLimit = 400;
const pointLimit = 20_000;
/** The series whose plots come first. */
const first = ["engine_speed", "vehicle_speed", "engine_load", "throttle_position"];

const name = /^[a-z][a-z0-9_]{0,99}(\/[0-9A-F]{2,8})?$/;

/** The points of a series, with their times in milliseconds since the moment. */
function points(series) {
    const [times, steps, scale] = [list(object(series).dt), list(object(series).dv), number(object(series).scale)];
    const result = [];
    let [at, value] = [0, 0];
    for (let index = 0; index < Math.min(times.length, steps.length, pointLimit); index += 1) {
        at += number(times[index]) ?? NaN;
        value += number(steps[index]) ?? NaN;
        if (!Number.isFinite(at) || !Number.isFinite(value) || scale === undefined) return [];
        result.push({ at, value: Number((value * scale).toPrecision(12)) });
    }
    return result;
}

/** The capture of an event; undefined if the event is none. */
export function capture(event) {
    const body = object(object(event).capture);
    const [moment, rule, trigger] = [time(object(event).time), text(body.rule), text(body.trigger)];
    if (object(event).event !== "capture" || moment === undefined || rule === undefined || trigger === undefined) return undefined;
    const order = (series) => (first.includes(series) ? first.indexOf(series) : first.length);
    const series = members(body.series).filter(([key]) => name.test(key)).slice(0, seriesLimit)
        .map(([key, value]) => ({ name: key, ecu: text(object(value).ecu), points: points(value) }))
        .filter((one) => one.points.length > 0)
        .sort((one, other) => order(one.name) - order(other.name) || (one.name < other.name ? -1 : 1));
    return {
        id: `${number(object(event).epoch)}/${number(object(event).seq)}`,
        moment, rule, trigger, series,
        isCertain: text(object(event).clock) === "synchronised",
        code: text(body.code), ecu: text(body.ecu), condition: text(body.condition),
        before: number(body.before) ?? 0, after: number(body.after) ?? 0, ended: text(body.ended),
    };
}

/** The points of a series; the last value is known until the capture's last reading. */
export function ended(found, { points }) {
    const until = Math.max(...found.series.map((one) => one.points[one.points.length - 1].at));
    return points.map((point, index) => (index === points.length - 1 ? { ...point, until } : point));
}

/** Half of the time that a plot shows, in milliseconds, so that the moment is in the middle. */
export const half = (found) => Math.max(1, found.before, found.after) * 1000;
