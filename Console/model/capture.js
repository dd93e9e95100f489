// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Captures: everything that was read around the moment at which something happened, out of events.

import { number, object, text, time } from "./json.js";
import { allSamples } from "./telemetry.js";

/** The largest number of captures to keep for a vehicle. */
export const captureLimit = 20;
/** The series whose plots come first. */
const first = ["engine_speed", "vehicle_speed", "engine_load", "throttle_position"];

/** The capture of an event; undefined if the event is none. */
export function capture(event) {
    const body = object(object(event).capture);
    const [moment, rule, trigger] = [time(object(event).time), text(body.rule), text(body.trigger)];
    if (object(event).event !== "capture" || moment === undefined || rule === undefined || trigger === undefined) return undefined;
    const order = (series) => (first.includes(series) ? first.indexOf(series) : first.length);
    const series = allSamples(body, 0)
        .sort((one, other) => order(one.name) - order(other.name) || (one.name < other.name ? -1 : 1));
    return {
        id: `${text(event.agent)}/${number(event.epoch)}/${number(event.seq)}`,
        // Captures are in the order of their moments.
        moment, end: moment, rule, trigger, series,
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
