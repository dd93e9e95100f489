// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Times in words.

import { lead } from "../model/age.js";
import { currentLanguage, text } from "../texts.js";

/** The time since a moment, in words; "never" if the moment is undefined. */
export function ago(time, now) {
    if (time === undefined) return text("when.never");
    const seconds = Math.round((now - time) / 1000);
    if (seconds < 5) return text("when.now");
    if (seconds < 60) return text("when.seconds", { count: seconds });
    if (seconds < 3600) return text("when.minutes", { count: Math.floor(seconds / 60) });
    if (seconds < 24 * 3600) return text("when.hours", { count: Math.floor(seconds / 3600) });
    return date(time);
}

/** The age from which a message that comes each minute is old, in milliseconds. */
const old = 150_000;

/** An age in milliseconds, in words. */
export const since = (age, now) => (age === undefined ? text("when.unknown") : ago(now - age, now));

/** The time since a moment of the vehicle's clock, in words; it is unknown if that clock, or this one, is wrong. */
export function age(time, isCertain, now) {
    return isCertain && time !== undefined && time - now <= lead ? ago(time, now) : text("when.unknown");
}

/** Whether a message that comes each minute should have been followed by another. */
export const isOld = (time, now) => time === undefined || now - time >= old;

/** The formats by language and style: to make one takes longer than to draw a plot. */
const formats = new Map();
function formatted(time, style) {
    const key = `${currentLanguage()} ${JSON.stringify(style)}`;
    if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(currentLanguage(), style));
    return formats.get(key).format(time);
}

export const date = (time) => (time === undefined ? "" : formatted(time, { dateStyle: "medium", timeStyle: "short" }));
export const clock = (time) => formatted(time, { timeStyle: "medium" });
/** The time of the day without seconds. */
export const minute = (time) => formatted(time, { timeStyle: "short" });
