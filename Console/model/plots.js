// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Which series are plotted, and which of them share a plot.

import { list, texts } from "./json.js";

/** The largest number of plots, and of series in each: as many as there are colors. */
export const plotLimit = 12;
export const overlayLimit = 6;

/** The plots of a user who has never chosen any. */
const usual = [["engine_speed"], ["vehicle_speed"]];

const name = /^[a-z][a-z0-9_]{0,99}(\/[0-9A-F]{2,8})?$/;

export class Plots {
    /** The plots that are drawn as soon as their series have a history. */
    #wanted = [];

    constructor() {
        /** The series of each plot, from top to bottom. */
        this.groups = [];
        /** Whether the user has chosen the plots of this vehicle; until then they are the wanted ones. */
        this.isChosen = false;
        /** The number of changes. */
        this.version = 0;
    }

    /** All series, from top to bottom. */
    get series() { return this.groups.flat(); }
    has(series) { return this.groups.some((group) => group.includes(series)); }

    /** Plots a series, or no longer. Returns whether it is plotted from now on. */
    toggle(series) {
        const isNew = !this.has(series);
        if (isNew) {
            if (this.groups.length >= plotLimit) return false;
            this.groups.push([series]);
        } else this.#remove(series);
        this.#changed();
        return isNew;
    }

    /** Draws a series in the plot of another one, or, if that is undefined, in a plot of its own. */
    move(series, onto) {
        if (series === onto || !name.test(series)) return;
        const of = (one) => this.groups.find((group) => group.includes(one));
        if (onto !== undefined && (!this.has(onto) || of(onto).includes(series) || of(onto).length >= overlayLimit)) return;
        if (onto === undefined && !this.has(series) && this.groups.length >= plotLimit) return;
        const place = this.groups.findIndex((group) => group.includes(series));
        this.#remove(series);
        if (onto !== undefined) of(onto).push(series);
        else this.groups.splice(place < 0 ? this.groups.length : Math.min(place + 1, this.groups.length), 0, [series]);
        this.#changed();
    }

    /** Begins with no plot, because another vehicle is chosen. Those that are wanted come with the first values. */
    reset(wanted) {
        const seen = new Set();
        const isNew = (series) => name.test(series) && !seen.has(series) && seen.add(series);
        const groups = list(wanted).slice(0, plotLimit).map((group) => texts(group).filter(isNew).slice(0, overlayLimit)).filter((group) => group.length > 0);
        this.#wanted = groups.length > 0 ? groups : usual;
        this.groups = [];
        this.isChosen = false;
        this.version += 1;
    }

    /** Plots the wanted series that have a history, until the user chooses. */
    suggest(histories) {
        if (this.isChosen) return;
        const groups = this.#wanted.map((group) => group.filter((series) => histories.has(series))).filter((group) => group.length > 0);
        if (groups.flat().length === this.series.length) return;
        this.groups = groups;
        this.version += 1;
    }

    #remove(series) {
        this.groups = this.groups.map((group) => group.filter((one) => one !== series)).filter((group) => group.length > 0);
    }

    #changed() {
        this.isChosen = true;
        this.version += 1;
    }
}
