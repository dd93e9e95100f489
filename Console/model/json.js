// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Reads foreign JSON: a missing member, or one of another type, is no error.

export const text = (value) => (typeof value === "string" ? value : undefined);
export const number = (value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined);
export const flag = (value) => (typeof value === "boolean" ? value : undefined);
export const list = (value) => (Array.isArray(value) ? value : []);
export const texts = (value) => list(value).filter((item) => typeof item === "string");
export const object = (value) => (value !== null && typeof value === "object" && !Array.isArray(value) ? value : {});
export const members = (value) => Object.entries(object(value));

/** Milliseconds since 1970; undefined if the text is no time. */
export function time(value) {
    const milliseconds = Date.parse(text(value) ?? "");
    return Number.isFinite(milliseconds) ? milliseconds : undefined;
}

/** The JSON of a payload; undefined if the payload is none. */
export function parse(payload) {
    try {
        return JSON.parse(payload);
    } catch {
        return undefined;
    }
}

/** A value as people read it: a number has only useful digits. */
export function shown(value) {
    if (Array.isArray(value)) return value.map(shown).join(", ");
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (typeof value !== "number") return value === undefined || value === null ? "" : String(value);
    const size = Math.abs(value);
    if (Number.isInteger(value)) return String(value);
    return String(Number(value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)));
}
