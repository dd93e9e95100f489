// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// What a number was, for as long as the page has been looking.

/** The points of one series: at most an hour of one each second. */
export const limit = 3600;

export class History {
    constructor() {
        /** Times in milliseconds, never going back, and numbers. */
        this.points = [];
    }

    /** Takes a reading; what is older than the newest, or the same again, is not taken. */
    add(at, value) {
        const last = this.points[this.points.length - 1];
        if (last && at <= last.at) return;
        this.points.push({ at, value });
        // In steps, since each costs a copy.
        if (this.points.length > limit + 300) this.points.splice(0, this.points.length - limit);
    }

    /** The points from a time on, and the one before, which was still valid then. */
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
