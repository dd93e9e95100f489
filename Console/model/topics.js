// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The topics of docs/contract, as somebody sees them who is not in the vehicle.

/** What is heard of all vehicles: what the list shows, and answers to commands that went out before another was chosen. */
export const overview = ["availability", "status", "vehicle", "codes", "responses"];
/** What one vehicle's page needs besides. */
export const details = ["parameters/#", "monitors", "finding"];

const vehicleLimit = 256;

/** The vehicle and what comes after it; undefined for a topic of somebody else. */
export function split(prefix, topic) {
    if (!topic.startsWith(`${prefix}/`)) return undefined;
    const rest = topic.slice(prefix.length + 1);
    const slash = rest.indexOf("/");
    if (slash < 1 || slash > vehicleLimit || slash === rest.length - 1) return undefined;
    return { vehicle: rest.slice(0, slash), path: rest.slice(slash + 1) };
}

/** Whether a text can be what all topics begin with. */
export function isPrefix(text) {
    return text.length > 0 && text.length <= 128 && !/[+#\u0000]/.test(text) && !/^[/$]|\/$/.test(text);
}
