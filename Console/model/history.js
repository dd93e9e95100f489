// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The values of a number since the page was opened, each with the time until which it is known.

/** The points of a series: at most an hour, with one point a second. */
export const limit = 3600;

export class History {
    constructor() {
        /** Ascending times in milliseconds, and their values. Without a further point a value is known until `until`. */
        this.points = [];
    }

    /** Takes a reading, unless it is older than the newest one or the same again. */
    add(at, value, until) {
        const last = this.points[this.points.length - 1];
        if (last && at <= last.at) return;
        this.points.push({ at, value, until: Math.max(at, until) });
        // Drops points in batches, because each drop costs a copy.
        if (this.points.length > limit + 300) this.points.splice(0, this.points.length - limit);
    }

    /** Ends the newest value: nothing is known from then on. */
    end(at) {
        const last = this.points[this.points.length - 1];
        if (last) last.until = Math.max(last.at, Math.min(last.until, at));
    }

    /** The points from a time on, and the previous point, which may still have been valid then. */
    since(from) {
        let low = 0;
        let high = this.points.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.points[middle].at < from) low = middle + 1;
            else high = middle;
        }
        return this.points.slice(Math.max(0, low - 1));
    }
}
