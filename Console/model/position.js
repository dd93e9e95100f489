// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The vehicle's position, or the zone that hides it, out of its message.

import { number, object, text, time } from "./json.js";

/** The error in meters from which a position is only a rough one: such an agent shares a grid of about 1 km. */
export const rough = 1000;
/** The largest error in meters that is shown. */
const largest = 2e7;

const degrees = (value, limit) => (number(value) !== undefined && Math.abs(value) <= limit ? value : undefined);

/** The position: its quality, its time, and the zone or the place; undefined if there is none. */
export function position(message) {
    const body = object(message);
    const found = { quality: text(body.quality) ?? "unknown", time: time(body.time), isCertain: text(body.clock) === "synchronised" };
    if (found.quality === "withheld") return text(body.zone) === undefined ? undefined : { ...found, zone: body.zone };
    const [latitude, longitude] = [degrees(body.latitude, 90), degrees(body.longitude, 180)];
    if (latitude === undefined || longitude === undefined) return undefined;
    const error = number(body.accuracy);
    const accuracy = error >= 0 && error <= largest ? Math.ceil(error) : undefined;
    const isRough = accuracy >= rough;
    // More digits than the error allows would look like a place.
    const [north, east] = [latitude, longitude].map((value) => value.toFixed(isRough ? 2 : 5).replace(/^-(0\.0+)$/, "$1"));
    return { ...found, latitude, longitude, coordinates: `${north}, ${east}`, accuracy, links: isRough ? undefined : links(north, east, accuracy) };
}

/** The addresses of a place: for the programs of this device (RFC 5870), and on a map. */
const links = (north, east, accuracy) => ({
    geo: `geo:${north},${east}${accuracy === undefined ? "" : `;u=${accuracy}`}`,
    map: `https://www.openstreetmap.org/?mlat=${north}&mlon=${east}#map=17/${north}/${east}`,
});
