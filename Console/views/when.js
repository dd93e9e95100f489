// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Times in words.

import { lead } from "../model/age.js";
import { isDate } from "../model/json.js";
import { currentLanguage, text } from "../texts.js";

/** The time since a moment, in words; "never" if the moment is undefined. One that is to come tells that a clock is wrong. */
export function ago(time, now) {
    if (time === undefined) return text("when.never");
    if (time - now > lead) return text("when.unknown");
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
    return isCertain && time !== undefined ? ago(time, now) : text("when.unknown");
}

/** The time since a message of a vehicle, by the vehicle's clock; "never" if there is none. */
export function sent(picture, time, now) {
    return time === undefined ? ago(time, now) : age(time, picture.isClockCertain, picture.end(now));
}

/** Whether a message that comes each minute should have been followed by another, or is dated by a wrong clock. */
export const isOld = (time, now) => !(now - time < old && time - now <= lead);

/** The formats by language and style: to make one takes longer than to draw a plot. */
const formats = new Map();
function formatted(time, style) {
    if (!isDate(time)) return "";
    const key = `${currentLanguage()} ${JSON.stringify(style)}`;
    if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(currentLanguage(), style));
    return formats.get(key).format(time);
}

export const date = (time) => formatted(time, { dateStyle: "medium", timeStyle: "short" });
export const clock = (time) => formatted(time, { timeStyle: "medium" });
/** The time of the day without seconds. */
export const minute = (time) => formatted(time, { timeStyle: "short" });
