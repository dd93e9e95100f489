// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The command `boost`: some parameters are published at each reading for a while.

import { number, texts } from "./json.js";

/** The time that is asked for, in seconds; the agent permits twice as much. */
export const duration = 300;
/** The largest number of parameters of a command. */
const parameterLimit = 256;

/** The arguments for some series; undefined if there is none. */
export function boostOrder(series) {
    const parameters = [...new Set(series.map((one) => one.split("/")[0]))].slice(0, parameterLimit);
    return parameters.length === 0 ? undefined : { parameters, duration };
}

export class Boost {
    constructor() {
        /** The time at which each parameter's boost ends, in milliseconds. */
        this.ends = new Map();
        /** The parameters that were asked for, but are not selected, so they are not published at each reading. */
        this.left = [];
    }

    /** Takes the result of a command that succeeded now. */
    receive(result, now) {
        const seconds = Math.min(600, Math.max(0, number(result.duration) ?? 0));
        // A new boost replaces the one before.
        this.ends = new Map(texts(result.parameters).slice(0, parameterLimit).map((name) => [name, now + seconds * 1000]));
        this.left = texts(result.not_selected).slice(0, parameterLimit);
    }

    /** The agent has stopped, or another vehicle is chosen. */
    clear() {
        this.ends.clear();
        this.left = [];
    }

    /** The time at which the boost of these series ends, and how many of them have one; undefined without any. */
    until(series, now) {
        const ends = series.map((one) => this.ends.get(one.split("/")[0])).filter((end) => end > now);
        return ends.length === 0 ? undefined : { end: Math.max(...ends), count: ends.length };
    }
}
