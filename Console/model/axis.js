// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The time axis that all plots share: which time is shown, and where the crosshair is.

/** The least and the most time that is shown, in milliseconds. */
export const least = 2_000;
export const most = 24 * 3600_000;
/** The least distance of two labels, in pixels. */
const spacing = 84;
/** The distances of labels, in milliseconds. */
const steps = [
    ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30], ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60), ...[1, 2, 3, 6, 12, 24].map((hours) => hours * 3600),
].map((seconds) => seconds * 1000);

/** Times are in milliseconds; parts of what is shown are 0 at its begin and 1 at its end. */
export class TimeAxis {
    /** @param span the time that is shown at first */
    constructor(span) {
        this.span = span;
        /** The end of what is shown; undefined while the axis goes on with the time. */
        this.fixed = undefined;
        /** The time of the crosshair; undefined without one. */
        this.cross = undefined;
    }

    get isFollowing() { return this.fixed === undefined; }

    /** What is shown, if the data begin and end at these times. */
    range({ latest }) {
        const to = this.fixed ?? latest;
        return { from: to - this.span, to };
    }

    /** Shows this much of the newest time. */
    show(span) {
        this.span = Math.min(most, Math.max(least, span));
        this.fixed = undefined;
    }

    /** Shows the newest time again, and no crosshair. */
    follow() {
        this.fixed = this.cross = undefined;
    }

    /** Shows a time span. */
    choose(from, to, bounds) {
        this.span = Math.min(most, Math.max(least, to - from));
        this.#end((from + to + this.span) / 2, bounds);
    }

    /** Shows less (a factor below 1) or more. The time at a part of what is shown stays where it is. */
    zoom(factor, part, bounds) {
        const { from, to } = this.range(bounds);
        const at = from + part * (to - from);
        this.span = Math.min(most, Math.max(least, this.span * factor));
        this.#end(at + (1 - part) * this.span, bounds);
    }

    /** Moves what is shown by a part of it; to the past if the part is negative. */
    pan(part, bounds) {
        this.#end(this.range(bounds).to + part * this.span, bounds);
    }

    /** Moves the crosshair by a part of what is shown, which moves too if the crosshair would leave it. */
    move(part, bounds) {
        const { from, to } = this.range(bounds);
        const start = this.cross === undefined || this.cross < from || this.cross > to ? to : this.cross;
        this.cross = Math.min(bounds.latest, Math.max(Math.min(bounds.earliest, from), start + part * this.span));
        const out = this.cross < from ? this.cross - from : this.cross > to ? this.cross - to : 0;
        if (out !== 0) this.pan(out / this.span, bounds);
    }

    /** Puts the crosshair at the first or the last of the data. */
    jump(toLatest, bounds) {
        this.cross = toLatest ? bounds.latest : bounds.earliest;
        this.#end(toLatest ? bounds.latest : bounds.earliest + this.span, bounds);
    }

    /** Ends what is shown at a time, as far as there are data; at the newest one the axis goes on with the time. */
    #end(to, { earliest, latest }) {
        const begin = Math.min(earliest, latest - this.span);
        const end = Math.max(begin + this.span, Math.min(to, latest));
        this.fixed = end >= latest ? undefined : end;
    }
}

/** Times for labels, at round times of the user's time zone; `isFine`: they need seconds. */
export function marks(from, to, width) {
    const step = steps.find((one) => (one / (to - from)) * width >= spacing) ?? steps[steps.length - 1];
    const zone = new Date(to).getTimezoneOffset() * 60_000;
    const times = [];
    for (let at = Math.ceil((from - zone) / step) * step + zone; at <= to; at += step) times.push(at);
    return { times, isFine: step < 60_000 };
}

/** Round times before and after a moment, for a plot around it. */
export function around(from, to, width) {
    const step = steps.find((one) => (one / (to - from)) * width >= spacing) ?? steps[steps.length - 1];
    const times = [];
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) times.push(at);
    return times;
}
