// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Trips: the present one or the last one out of its topic, and finished ones out of events.

import { brief, flag, isDate, list, number, object, text, texts, time } from "./json.js";

/** The largest number of trips to keep for a vehicle. */
export const tripLimit = 100;
/** The largest numbers of bands of a quantity, and of codes. */
const bandLimit = 32;
const codeLimit = 32;

/** The figures of a trip in the order of the page, with their units. */
const figures = [
    ["distance", "km"], ["mean_speed", "km/h"], ["maximum_speed", "km/h"], ["fuel", "L"], ["fuel_consumption", "L/100 km"], ["energy", "kWh"],
    ["regenerated", "kWh"], ["energy_consumption", "kWh/100 km"], ["coolant_temperature", "°C"], ["harsh_braking", ""], ["harsh_acceleration", ""],
    ["over_speed", ""],
];
const spans = ["duration", "moving", "idling", "stopped", "unobserved"];
/** How well a figure is known: its error, where it comes from, and the time in which it was observed. */
const grounds = [["distance_error", "km"], ["distance_observed", "min"], ["fuel_observed", "min"], ["energy_observed", "min"]];
const sources = ["distance_source", "fuel_source", "energy_source"];
const ends = [["odometer", "km"], ["fuel_level", "%"], ["state_of_charge", "%"]];
const quantities = [["engine_speed", "rpm"], ["engine_load", "%"]];

const values = (source, names) => names.flatMap(([name, unit]) => {
    const value = number(source[name]);
    return value === undefined ? [] : [{ name, value: unit === "min" ? Math.round(value / 6) / 10 : value, unit }];
});

/** The seconds of a trip in the bands of a quantity; undefined if they are malformed. */
function bands(body, [name, unit]) {
    const [bounds, seconds] = [list(object(body[name]).bounds), list(object(body[name]).seconds)];
    const isWhole = [...bounds, ...seconds].every((one) => number(one) !== undefined) && seconds.length === bounds.length + 1 && seconds.length <= bandLimit;
    const sum = isWhole ? seconds.reduce((one, other) => one + other, 0) : 0;
    if (!(sum > 0)) return undefined;
    return { name, unit, rows: seconds.map((one, index) => ({ from: bounds[index - 1], to: bounds[index], seconds: one, share: one / sum })) };
}

function place(body) {
    const [latitude, longitude] = [number(body.latitude), number(body.longitude)];
    return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : undefined;
}

/** What the topic and the event tell alike: times in minutes, figures with their grounds, both ends, bands and codes. */
const details = (body) => ({
    times: values(body, spans.map((name) => [name, "min"])),
    figures: values(body, figures),
    grounds: values(body, grounds),
    sources: sources.flatMap((name) => (text(body[name]) === undefined ? [] : [{ name, source: brief(body[name]) }])),
    ends: ["start", "end"].map((name) => ({ name, values: values(object(body[name]), ends), place: place(object(body[name])) })),
    bands: quantities.map((quantity) => bands(body, quantity)).filter(Boolean),
    appeared: texts(body.codes_appeared).slice(0, codeLimit).map((code) => brief(code)),
    gone: texts(body.codes_gone).slice(0, codeLimit).map((code) => brief(code)),
});

const sums = [["trips", ""], ["distance", "km"], ["fuel", "L"], ["energy", "kWh"], ["regenerated", "kWh"]];
/** The totals of all trips. Their number has only the ended ones, their distance also the present one, so that counts too. */
const totals = (message, isOngoing) => values(object(object(message).totals), sums)
    .map((one) => (one.name === "trips" && isOngoing ? { ...one, value: one.value + 1 } : one));

/** The trip of the topic; undefined if there is none. */
export function trip(message) {
    const body = object(object(message).trip);
    const start = time(object(body.start).time);
    if (start === undefined) return undefined;
    const isOngoing = flag(object(message).ongoing) === true;
    return {
        start,
        end: time(object(body.end).time),
        asOf: time(object(message).time),
        isOngoing,
        isCertain: text(object(message).clock) === "synchronised",
        ...details(body),
        totals: totals(message, isOngoing),
    };
}

/** The finished trip of an event; undefined if the event is none. */
export function finished(event) {
    const body = object(object(event).trip);
    const [end, duration] = [time(object(event).time), number(body.duration)];
    if (object(event).event !== "trip" || end === undefined || duration === undefined || duration < 0) return undefined;
    const start = end - duration * 1000;
    if (!isDate(start)) return undefined;
    return {
        id: `${text(event.agent)}/${number(event.epoch)}/${number(event.seq)}`,
        start, end,
        isOngoing: false,
        isCertain: text(event.clock) === "synchronised",
        ...details(body),
        totals: [],
    };
}

/** Within this time the begins of two trips are the same, in milliseconds: the clock may have been set meanwhile. */
const same = 30_000;

/** All trips that are known, the newest first: the one of the topic, and those of events. */
export function trips(present, seen) {
    const isSeen = present !== undefined && seen.some((one) => Math.abs(one.start - present.start) < same);
    // The event has the finished trip; the topic also has the totals.
    const list = present === undefined || (isSeen && !present.isOngoing) ? seen : [{ ...present, id: "present" }, ...seen];
    return [...list].sort((one, other) => Number(other.isOngoing) - Number(one.isOngoing) || other.start - one.start);
}
