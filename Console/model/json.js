// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Reads foreign JSON: a missing member, or one of another type, is no error.

/** The signs that turn the order of the letters after them. */
const turning = /[\u202a-\u202e\u2066-\u2069]/g;
/** The longest text that is shown, the largest number of items of a list, and the depth of lists in lists. */
const [longest, most, deepest] = [500, 50, 2];
/** The times that a date can have, in milliseconds before and after 1970. */
const latest = 8.64e15;

export const text = (value) => (typeof value === "string" ? value.replace(turning, "") : undefined);
/** A text as a view shows it: of a bounded length. */
export const brief = (value, limit = longest) => {
    const found = text(value);
    return found !== undefined && found.length > limit ? `${found.slice(0, limit)}…` : found;
};
export const number = (value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined);
export const flag = (value) => (typeof value === "boolean" ? value : undefined);
export const list = (value) => (Array.isArray(value) ? value : []);
export const texts = (value) => list(value).map(text).filter((item) => item !== undefined);
export const object = (value) => (value !== null && typeof value === "object" && !Array.isArray(value) ? value : {});
export const members = (value) => Object.entries(object(value));

/** Milliseconds since 1970; undefined if the text is no time. */
export function time(value) {
    const milliseconds = Date.parse(text(value) ?? "");
    return Number.isFinite(milliseconds) ? milliseconds : undefined;
}

/** Whether a number of milliseconds since 1970 is a date. */
export const isDate = (milliseconds) => Math.abs(milliseconds) <= latest;

/** The greatest version of the contract's payloads that the page understands. */
const version = 1;
/** Whether a later version of the contract wrote this: its members may have another meaning. */
export const isNewer = (json) => number(object(json).v) > version;

/** The JSON of a payload; undefined if the payload is none. */
export function parse(payload) {
    try {
        return JSON.parse(payload);
    } catch {
        return undefined;
    }
}

/** Any JSON as people read it, in a bounded text: a number has only useful digits, and an object is an ellipsis. */
export function shown(value, depth = deepest) {
    if (Array.isArray(value)) {
        const items = depth === 0 ? ["…"] : value.slice(0, most).map((item) => shown(item, depth - 1));
        return brief([...items, ...(depth > 0 && value.length > most ? ["…"] : [])].join(", "));
    }
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (value === undefined || value === null) return "";
    if (typeof value !== "number") return brief(value) ?? "…";
    const size = Math.abs(value);
    if (Number.isInteger(value)) return String(value);
    return String(Number(value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)));
}
