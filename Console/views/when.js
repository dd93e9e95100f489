// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Times in words.

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

export const date = (time) => (time === undefined ? "" : when.date(new Date(time)));
export const clock = (time) => when.time(new Date(time));
