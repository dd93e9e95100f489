// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Times in words.

import { lead } from "../model/age.js";
import { when } from "../texts.en.js";

/** The time since a moment, in words; "never" if the moment is undefined. */
export function ago(time, now) {
    if (time === undefined) return when.never;
    const seconds = Math.round((now - time) / 1000);
    if (seconds < 5) return when.now;
    if (seconds < 60) return when.seconds(seconds);
    if (seconds < 3600) return when.minutes(Math.floor(seconds / 60));
    if (seconds < 24 * 3600) return when.hours(Math.floor(seconds / 3600));
    return when.date(new Date(time));
}

/** The age from which a message that comes each minute is old, in milliseconds. */
const old = 150_000;

/** An age in milliseconds, in words. */
export const since = (age, now) => (age === undefined ? when.unknown : ago(now - age, now));

/** The time since a moment of the vehicle's clock, in words; it is unknown if that clock, or this one, is wrong. */
export function age(time, isCertain, now) {
    return isCertain && time !== undefined && time - now <= lead ? ago(time, now) : when.unknown;
}

/** Whether a message that comes each minute should have been followed by another. */
export const isOld = (time, now) => time === undefined || now - time >= old;

export const date = (time) => (time === undefined ? "" : when.date(new Date(time)));
export const clock = (time) => when.time(new Date(time));
