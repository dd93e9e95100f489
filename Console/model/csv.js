// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// CSV (RFC 4180) with the columns of `obd-agent export` that the page knows.

import { isDate, shown } from "./json.js";

/** The largest number of items of a list in a cell. */
const itemLimit = 50;

/** A cell. An apostrophe precedes a text that a spreadsheet would take for a formula. */
export function cell(value) {
    if (value === undefined || value === null) return "";
    if (typeof value === "number") return String(value);
    const plain = (one) => (typeof one === "number" || typeof one === "boolean" ? String(one) : shown(one));
    let text = Array.isArray(value) ? value.slice(0, itemLimit).map(plain).join(" ") : plain(value);
    if (/^[=+\-@\t\r]/.test(text)) text = `'${text}`;
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** The rows of a table, each ended by CR LF. */
export const csv = (rows) => rows.map((row) => row.map(cell).join(",") + "\r\n").join("");

const moment = (milliseconds) => (milliseconds === undefined || !isDate(milliseconds) ? "" : new Date(milliseconds).toISOString());
const split = (series) => series.split("/")[0];

/** The newest value of each series. */
export function values(picture) {
    const rows = [...picture.parameters].sort().map(([series, reading]) => [
        picture.name, moment(reading.time), split(series), reading.ecu, reading.value, reading.unit, reading.label, reading.quality,
    ]);
    return csv([["vehicle", "time", "parameter", "ecu", "value", "unit", "label", "quality"], ...rows]);
}

/** All points of the given series in a time span. */
export function histories(picture, chosen, from, to = Infinity) {
    const rows = chosen.flatMap((series) => {
        const reading = picture.parameters.get(series);
        const points = picture.histories.get(series)?.points ?? [];
        return points.filter((point) => point.at >= from && point.at <= to)
            .map((point) => [picture.name, moment(point.at), split(series), reading?.ecu, point.value, reading?.unit]);
    });
    return csv([["vehicle", "time", "parameter", "ecu", "value", "unit"], ...rows]);
}

/** The points of the track; `follows_gap`: the way from the point before is unknown. */
export function track(picture, points) {
    const rows = points.map((point) => [picture.name, moment(point.at), point.latitude, point.longitude, String(!point.isJoined), String(point.isRecorded)]);
    return csv([["vehicle", "time", "latitude", "longitude", "follows_gap", "recorded"], ...rows]);
}

/** The trips: times in minutes, and the figures in the units of the contract. */
export function trips(picture, found) {
    const names = [...new Set(found.flatMap((trip) => [...trip.times, ...trip.figures].map((one) => one.name)))];
    const rows = found.map((trip) => {
        const values = new Map([...trip.times, ...trip.figures].map((one) => [one.name, one.value]));
        return [picture.name, moment(trip.start), moment(trip.end), String(trip.isOngoing), ...names.map((name) => values.get(name))];
    });
    return csv([["vehicle", "start", "end", "ongoing", ...names], ...rows]);
}

/** The readings of a capture, with the seconds since its moment. */
export function captured(picture, found) {
    const rows = found.series.flatMap((one) => one.points.map((point) => [
        picture.name, moment(found.moment), found.rule, point.at / 1000, moment(found.moment + point.at), split(one.name), one.ecu, point.value,
    ]));
    return csv([["vehicle", "moment", "rule", "seconds", "time", "parameter", "ecu", "value"], ...rows]);
}

/** The codes of grouped entries. */
export function codes(picture, groups) {
    const rows = groups.flatMap(({ name, entries }) => entries.map((entry) => [
        picture.name, entry.code, entry.ecu, entry.states, name, entry.description, entry.firstSeen,
    ]));
    return csv([["vehicle", "code", "ecu", "states", "group", "description", "first_seen"], ...rows]);
}
