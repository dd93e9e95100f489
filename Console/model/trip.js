// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The present trip of a vehicle, or the last one, out of its message.

import { flag, number, object, text, time } from "./json.js";

/** The figures of a trip in the order of the page, with their units. */
const figures = [
    ["distance", "km"], ["mean_speed", "km/h"], ["maximum_speed", "km/h"], ["fuel", "L"], ["fuel_consumption", "L/100 km"], ["energy", "kWh"],
    ["regenerated", "kWh"], ["energy_consumption", "kWh/100 km"], ["harsh_braking", ""], ["harsh_acceleration", ""], ["over_speed", ""],
];
const spans = ["duration", "moving", "idling", "stopped", "unobserved"];

/** The trip: its start, the time of the message, whether it goes on, its times in minutes, and its figures; undefined if there is none. */
export function trip(message) {
    const body = object(object(message).trip);
    const start = time(object(body.start).time);
    if (start === undefined) return undefined;
    const values = (source, names) => names.flatMap(([name, unit]) => {
        const value = number(source[name]);
        return value === undefined ? [] : [{ name, value, unit }];
    });
    return {
        start,
        asOf: time(object(message).time),
        isOngoing: flag(object(message).ongoing) === true,
        isCertain: text(object(message).clock) === "synchronised",
        times: values(body, spans.map((name) => [name, "min"])).map((one) => ({ ...one, value: Math.round(one.value / 6) / 10 })),
        figures: values(body, figures),
        totals: values(object(object(message).totals), [["distance", "km"], ["fuel", "L"], ["energy", "kWh"]]),
    };
}
