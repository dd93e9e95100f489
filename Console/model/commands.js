// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Commands and responses of docs/contract.

import { brief, isNewer, list, number, object, text } from "./json.js";

/** The time until a command expires, in milliseconds, also while the vehicle is offline. */
export const lifetime = 5 * 60 * 1000;

/** A new, unguessable command id. */
export function newID(random = globalThis.crypto) {
    const bytes = random.getRandomValues(new Uint8Array(16));
    return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** An unsigned command. */
export function plain({ id, command, parameters, vehicle, now }) {
    return {
        id, command, arguments: parameters, vehicle,
        issued_at: new Date(now).toISOString(),
        expires_at: new Date(now + lifetime).toISOString(),
    };
}

/** The claims of a signed command (RFC 7519). */
export function claims({ id, command, parameters, vehicle, now }, issuer) {
    return {
        iss: issuer, aud: vehicle, jti: id,
        iat: Math.floor(now / 1000), exp: Math.floor((now + lifetime) / 1000),
        command, arguments: parameters,
    };
}

/**
 * The changes from the present selection to the wanted one.
 *
 * Both are maps of seconds by name. Undefined if nothing changes.
 */
export function selection(selected, wish, { duration, version } = {}) {
    const set = {};
    for (const [name, seconds] of wish) if (selected.get(name) !== seconds) set[name] = seconds;
    const remove = [...selected.keys()].filter((name) => !wish.has(name));
    if (Object.keys(set).length === 0 && remove.length === 0) return undefined;
    const order = {};
    if (Object.keys(set).length > 0) order.set = set;
    if (remove.length > 0) order.remove = remove;
    if (duration !== undefined) order.duration = duration;
    if (version !== undefined) order.expected_version = version;
    return order;
}

/** Whether a number of seconds is a valid poll interval. */
export const isInterval = (seconds) => number(seconds) !== undefined && seconds >= 0.05 && seconds <= 86400;

/** A finding's text without control characters except line feeds, as the agent requires it. */
export function findingText(input) {
    // eslint-disable-next-line no-control-regex
    return input.replace(/\r\n?/g, "\n").replace(/\t/g, " ").replace(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/g, "").trim();
}

/** The trouble codes in the user's input, and the words that are none. */
export function codesIn(input) {
    const words = input.split(/[\s,;]+/).filter((word) => word !== "").map((word) => word.toUpperCase());
    const isCode = /^([PCBU][0-3][0-9A-F]{3}(-[0-9A-F]{2})?|SPN[0-9]{1,6}-FMI[0-9]{1,2})$/;
    return { codes: [...new Set(words.filter((word) => isCode.test(word)))], wrong: words.filter((word) => !isCode.test(word)) };
}

/** A response on `responses`; undefined if the payload is none. */
export function answer(json) {
    if (isNewer(json)) return undefined;
    const state = text(object(json).state);
    if (!["accepted", "running", "succeeded", "failed", "refused"].includes(state)) return undefined;
    const progress = object(json.progress);
    return {
        state,
        id: text(json.id),
        reason: brief(json.reason),
        message: brief(json.message),
        issuer: text(json.issuer),
        progress: text(progress.doing) && { step: number(progress.step), steps: number(progress.steps), doing: brief(progress.doing) },
        result: object(json.result),
    };
}

/** The reasons after which the same command may succeed later. */
export const retryReasons = ["busy", "rate_limited"];

/** The codes in a response to `clear_codes`: gone, stayed, unknown. */
export function cleared(result) {
    const entries = (name) => list(result[name]).map((entry) => ({
        code: text(object(entry).code) ?? "?", ecu: text(object(entry).ecu) ?? "", reason: text(object(entry).reason),
    }));
    return { gone: entries("gone"), stayed: entries("stayed"), unknown: entries("unknown") };
}
