// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The values of a number over time, each with the time until which it is known. Their memory is bounded.

import { lead } from "./age.js";

/** The points of a series: at most an hour, with one point a second. */
export const limit = 3600;
/** The number of points beyond the limit that are dropped at once, because each drop costs a copy. */
const slack = 300;
/** The least time between two recorded points that fill a gap, in milliseconds, so that an hour fits. */
const spacing = 1000;

export class History {
    #at = new Float64Array(64);
    #value = new Float64Array(64);
    #until = new Float64Array(64);
    #count = 0;
    /** The number of changes. */
    version = 0;

    /** A history of given points in the order of their times. */
    static of(points) {
        const history = new History();
        for (const { at, value, until } of points) history.add(at, value, until ?? Infinity);
        return history;
    }

    get length() { return this.#count; }
    /** The time of the newest point. */
    get newest() { return this.#count > 0 ? this.#at[this.#count - 1] : -Infinity; }
    at(index) { return this.#at[index]; }
    value(index) { return this.#value[index]; }
    /** The time until which the value of a point is known, or until the next point. */
    end(index) { return Math.min(this.#until[index], index + 1 < this.#count ? this.#at[index + 1] : Infinity); }
    /** The points as objects, ascending, for files and tables. */
    get points() {
        return Array.from({ length: this.#count }, (_, index) => ({ at: this.#at[index], value: this.#value[index], until: this.#until[index] }));
    }

    /**
     * Takes a reading, unless it is older than the newest one or the same again.
     *
     * One that is far older tells that the clock was set back: the points beyond it were dated by a wrong clock, and go.
     */
    add(at, value, until) {
        if (this.newest - at > lead) {
            this.#count = this.#before(at) + 1;
            this.version += 1;
        }
        if (at <= this.newest) return;
        this.#push(at, value, Math.max(at, until));
        this.#trim();
    }

    /** Ends the newest value: nothing is known from then on. */
    close(at) {
        const last = this.#count - 1;
        if (last < 0 || this.#until[last] <= at) return;
        this.#until[last] = Math.max(this.#at[last], at);
        this.version += 1;
    }

    /**
     * Takes recorded samples in the order of their times, as far as nothing is known of their time yet.
     *
     * @param lasting the time for which a recorded value is known without a further one, in milliseconds
     */
    fill(samples, lasting) {
        const missing = [];
        for (const sample of samples) {
            const before = this.#before(sample.at);
            const isKnown = before >= 0 && (this.end(before) > sample.at || this.#at[before] === sample.at);
            const last = missing[missing.length - 1];
            if (!isKnown && !(last && sample.at - last.at < spacing)) missing.push(sample);
        }
        if (missing.length === 0) return;
        const old = this.points;
        const wanted = old.length + missing.length;
        this.#count = 0;
        for (let [one, other] = [0, 0]; one < old.length || other < missing.length;) {
            const isOld = other >= missing.length || (one < old.length && old[one].at < missing[other].at);
            const point = isOld ? old[one++] : { ...missing[other], until: missing[other++].at + lasting };
            // What is beyond the limit is the oldest.
            if (wanted - one - other < limit) this.#push(point.at, point.value, point.until);
        }
        this.version += 1;
    }

    /** The index of the first point that a time span shows: the last one before it may still be valid in it. */
    first(from) { return Math.max(0, this.#before(from)); }

    /** The value that is known at a time; undefined in a gap. */
    known(time) {
        const index = this.#before(time);
        return index >= 0 && this.end(index) >= time ? this.#value[index] : undefined;
    }

    /** The lowest and the highest value that is known in a time span, and the newest; undefined if there is none. */
    extent(from, to) {
        let [low, high, last] = [Infinity, -Infinity, undefined];
        for (let index = this.first(from); index < this.#count && this.#at[index] <= to; index += 1) {
            if (this.end(index) < from) continue;
            last = this.#value[index];
            low = Math.min(low, last);
            high = Math.max(high, last);
        }
        return last === undefined ? undefined : { low, high, last };
    }

    /** The index of the last point at or before a time; -1 if there is none. */
    #before(time) {
        let [low, high] = [0, this.#count];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.#at[middle] <= time) low = middle + 1;
            else high = middle;
        }
        return low - 1;
    }

    #push(at, value, until) {
        if (this.#count === this.#at.length) {
            const size = Math.min(2 * this.#count, limit + slack + 1);
            [this.#at, this.#value, this.#until] = [this.#at, this.#value, this.#until].map((old) => {
                const grown = new Float64Array(size);
                grown.set(old);
                return grown;
            });
        }
        [this.#at[this.#count], this.#value[this.#count], this.#until[this.#count]] = [at, value, until];
        this.#count += 1;
        this.version += 1;
    }

    #trim() {
        if (this.#count <= limit + slack) return;
        for (const array of [this.#at, this.#value, this.#until]) array.copyWithin(0, this.#count - limit, this.#count);
        this.#count = limit;
    }
}
