// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The age of a value, and whether it may be shown as the present one: docs/contract, "How old a value is".

/** The time in seconds within which an agent that does not publish `live_within` publishes a value again. */
export const usualWithin = 60;
/** The time in seconds that a message may take. */
export const delivery = 10;
/** The lead of another machine's clock up to which its times count as the present, in milliseconds. */
export const lead = 60_000;

/** The intervals in seconds of what the agent measures without a selection. */
const unselected = { supply_voltage: 35 };

/** The values of an event, such as the last start of the engine, which are never live. */
const ofEvents = new Set(["supply_voltage_cranking", "supply_voltage_resting", "supply_voltage_trend"]);

/** The age up to which a value is live, in milliseconds. */
export function limit(picture, series) {
    const interval = picture.interval(series) ?? (Object.hasOwn(unselected, series) ? unselected[series] : 0);
    return ((picture.liveWithin ?? usualWithin) + interval + delivery) * 1000;
}

/** The age of a reading in milliseconds: since its arrival, or else since its own time. Undefined if it is unknown. */
export function age(reading, now) {
    if (reading.arrived !== undefined) return Math.max(0, now - reading.arrived);
    const isDated = reading.time !== undefined && reading.quality !== "unsynchronised" && reading.time - now <= lead;
    return isDated ? Math.max(0, now - reading.time) : undefined;
}

/** Whether the adapter measures a value, which it does without an ECU too. */
export const isOfAdapter = (series) => Object.hasOwn(unselected, series) || ofEvents.has(series);

/** The time in milliseconds since a value is known to have held: an unchanged one is not published again at once. */
function held(picture, series, found, now) {
    const silence = picture.measured === undefined || isOfAdapter(series) ? undefined : now - picture.measured;
    // The value was live when the last value of an ECU arrived.
    return silence !== undefined && found >= silence && found - silence <= limit(picture, series) ? silence : found;
}

/** Whether a reading is `live`, `late` or the `last` known one, and its age. */
export function freshness(picture, series, reading, now) {
    const found = age(reading, now);
    if (found === undefined || ofEvents.has(series)) return { state: "last", age: found };
    if (!picture.isObserved) return { state: "last", age: held(picture, series, found, now) };
    return { state: found <= limit(picture, series) ? "live" : "late", age: found };
}

/**
 * The four lamps: broker, agent, link, vehicle.
 *
 * Each has the name of its state, of its color, and whether the state is the present one. Behind a dark lamp nothing is.
 */
export function lamps(picture, isConnected) {
    const { availability, link } = picture;
    const isAgentKnown = isConnected && picture.isKnown("availability");
    const isLinkKnown = isAgentKnown && availability === "online" && picture.isKnown("status");
    const isVehicleKnown = isLinkKnown && (link === "connected" || picture.isParked === true);
    const isDoubted = link === "connected" && !picture.isConfirmed;
    const vehicle = picture.isParked === true ? "parked" : isDoubted ? "unconfirmed" : picture.ignition ?? "unknown";
    const tones = { online: "good", connected: "good", running: "good", on: "good", charging: "good", offline: "bad", lost: "bad" };
    const lamp = (name, state, isPresent) => ({ name, state, isPresent, tone: isPresent ? tones[state] ?? "rest" : "off" });
    return [
        lamp("broker", isConnected ? "connected" : "lost", true),
        lamp("agent", availability ?? "unknown", isAgentKnown),
        lamp("link", link ?? "unknown", isLinkKnown),
        lamp("vehicle", vehicle, isVehicleKnown),
    ];
}
