// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The topics of docs/contract, for a client outside of the vehicle.

/** The topics of each vehicle that the list needs, besides `availability`. */
export const listed = ["status", "codes"];
/** The topics of all vehicles whose messages count from now on. The user may choose another vehicle before a response comes. */
export const overview = [...listed, "responses"];
/**
 * The subscriptions for the chosen vehicle. Its state comes before its values, so that these can be judged. What may be long
 * comes after them, because Mosquitto sends that in pieces, with pauses in between.
 */
export const details = ["status", "parameters/#", "vehicle", "codes", "monitors", "trip", "limits", "position", "finding", "events", "telemetry/#"];

const vehicleLimit = 256;
/** The signs that no topic level of a vehicle has: separators, wildcards and control characters. */
// eslint-disable-next-line no-control-regex
const foreign = /[/+#\u0000-\u001f\u007f-\u009f]/;

/** Whether a text can be the topic level of a vehicle. */
export const isVehicle = (text) => text.length > 0 && text.length <= vehicleLimit && !foreign.test(text);

/** The vehicle and the rest of the topic; undefined for a foreign topic. */
export function split(prefix, topic) {
    if (!topic.startsWith(`${prefix}/`)) return undefined;
    const rest = topic.slice(prefix.length + 1);
    const slash = rest.indexOf("/");
    if (slash < 1 || slash === rest.length - 1 || !isVehicle(rest.slice(0, slash))) return undefined;
    return { vehicle: rest.slice(0, slash), path: rest.slice(slash + 1) };
}

/** Whether a text can be the topic prefix. */
export function isPrefix(text) {
    return text.length > 0 && text.length <= 128 && !/[+#\u0000]/.test(text) && !/^[/$]|\/$/.test(text);
}
