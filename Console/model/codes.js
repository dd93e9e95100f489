// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The trouble codes by group, as the page shows them.

import { brief, list, members, number, object, text, texts } from "./json.js";

/** The largest numbers of values of a freeze frame, and of states and unread values of a code. */
const frameLimit = 100;
const listLimit = 50;

const order = { stored: 0, pending: 1, permanent: 2 };

/** The values of a freeze frame, by name. */
export function frame(entry) {
    const values = members(object(object(entry).freeze_frame).values).slice(0, frameLimit);
    return values.map(([name, reading]) => ({ name, value: object(reading).value, label: brief(object(reading).label), unit: brief(object(reading).unit) }));
}

/** Groups of entries. `name` is the contract's category and group, as far as they are present. */
export function grouped(report) {
    const groups = new Map();
    for (const item of list(object(report).codes).map(object)) {
        const code = text(item.code);
        if (code === undefined) continue;
        const name = [text(item.category), text(item.group)].filter(Boolean).join(":");
        if (!groups.has(name)) groups.set(name, { name, entries: [] });
        groups.get(name).entries.push({
            code: brief(code), ecu: brief(item.ecu) ?? "", description: brief(item.description) ?? "",
            states: texts(item.states).slice(0, listLimit).map((state) => brief(state)).sort((one, other) => (order[one] ?? 9) - (order[other] ?? 9)),
            severity: brief(item.severity), severityClass: number(item.severity_class),
            failureType: brief(item.failure_type), spn: number(item.spn), fmi: number(item.fmi),
            firstSeen: text(item.first_seen), frame: frame(item), unread: texts(object(item.freeze_frame).unread).slice(0, listLimit),
        });
    }
    const sorted = [...groups.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
    for (const group of sorted) group.entries.sort((one, other) => (one.code < other.code ? -1 : 1));
    return sorted;
}

/** The ECUs whose freeze frame could not be read. */
export const unreadFrames = (report) => members(object(report).freeze_frames).filter(([, state]) => text(object(state).state) === "unread").map(([ecu]) => ecu);

/** The vehicle's monitors: each with its name, and whether it is complete. */
export const readiness = (monitors) =>
    members(object(monitors).monitors).map(([name, state]) => ({ name, isComplete: state === "complete" }))
        .sort((one, other) => Number(one.isComplete) - Number(other.isComplete) || (one.name < other.name ? -1 : 1));
