// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Chooses the events that become notifications of the browser: the wanted kinds, recent ones, a bounded number.

/** The kinds of events that can notify. */
export const kinds = ["code_appeared", "mil_on", "battery_low", "limit_exceeded", "capture", "trip"];
/** The kinds that do as long as the user has not chosen. */
export const usual = ["code_appeared", "mil_on", "battery_low", "limit_exceeded"];
/** The age beyond which an event is no news, in milliseconds: an agent sends what happened without a connection later. */
export const newsAge = 24 * 3600 * 1000;
/** The largest number of notifications in a span of time in milliseconds. What is beyond that is counted in one. */
export const burst = 5;
export const span = 60_000;

export class Notices {
    constructor() {
        this.isOn = false;
        this.kinds = new Set(usual);
        this.shown = [];
        /** The number of events since the last notification that the bound kept back. */
        this.kept = 0;
    }

    /**
     * Returns what to do with an event: `{ event }` to show it, `{ count }` to show how many more there are, in place of the
     * last such number, or undefined.
     *
     * @param isAgain whether the agent sends the event again because a consumer has asked for it
     */
    receive(event, now, { isAgain = false } = {}) {
        if (!this.isOn || isAgain || !this.kinds.has(event.kind)) return undefined;
        if (now - event.time > newsAge) return undefined;
        this.shown = this.shown.filter((at) => now - at < span);
        if (this.shown.length >= burst) {
            this.kept += 1;
            return { count: this.kept };
        }
        this.kept = 0;
        this.shown.push(now);
        return { event };
    }

    /** Chooses whether a kind notifies. */
    choose(kind, isWanted) {
        if (!kinds.includes(kind)) return;
        if (isWanted) this.kinds.add(kind);
        else this.kinds.delete(kind);
    }
}
