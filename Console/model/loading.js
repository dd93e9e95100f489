// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Subscribes in steps, so that the broker drops nothing.
//
// A broker holds a bounded number of messages for a client, Mosquitto 1,000 by default, and drops further ones without a
// word. One subscription gets all its retained messages at once. So the vehicle that the user waits for comes first, then
// the names of all, then what the list shows of them in portions, each of which begins when the one before has arrived. The
// names themselves cannot come in portions. If the broker has dropped some, `isCut` tells in the end.

import { vehicleLimit } from "./fleet.js";
import { details, listed, overview } from "./topics.js";

/** The vehicles of a portion: with their topics, and with the values of the chosen vehicle, fewer than 1,000 messages. */
export const portion = 100;
/** The number of names from which the broker's limit is measured. */
export const many = 900;
/** The silence after which a step is over, in milliseconds, besides two round trips; and that of a portion whose end is missing. */
export const quiet = 200;
export const patience = 2_000;

/** More than the other packets that may wait in the broker beside these messages, such as its acknowledgement. */
const others = 20;

/** The largest number of names: of vehicles, and of forerunners, which the list keeps apart. */
export const nameLimit = 2 * vehicleLimit;

const all = ["availability", ...listed];

export class Loading {
    constructor(prefix) {
        this.prefix = prefix;
        /** The number of names that one subscription brought. */
        this.count = 0;
        /** The number of messages that two such subscriptions brought at once; undefined until that is measured. */
        this.measured = undefined;
        /** Whether the broker may have dropped names, because it passes on no more messages at once. */
        this.isCut = false;
        /** `closed`, `vehicle`, `names`, `portions` or `measuring`. */
        this.step = "closed";
        this.names = new Set();
        this.waiting = new Set();
        this.portion = undefined;
    }

    /** Whether there is room for the values of a vehicle: the names have arrived, and nothing is measured. */
    get hasRoom() { return this.step === "portions"; }
    /** Whether the names are still to come. */
    get awaitsNames() { return this.step === "vehicle" || this.step === "names"; }
    /** The number of vehicles whose state has not arrived yet. */
    get missing() { return this.waiting.size + (this.portion?.names.length ?? 0); }

    /** The connection is open, and the user looks at a vehicle, or not yet. Returns what to subscribe to. */
    opened(now, vehicle) {
        Object.assign(this, { count: 0, measured: undefined, isCut: false, waiting: new Set(), portion: undefined, names: new Set() });
        this.step = vehicle === undefined ? "names" : "vehicle";
        this.#wait(now);
        // New messages first: a retained one is not newer than they are.
        return [
            { subscribe: overview.map((path) => this.#filter("+", path)), qos: 1, retained: false },
            vehicle === undefined ? this.#all : { subscribe: ["availability", ...details].map((path) => this.#filter(vehicle, path)), qos: 1, retained: true },
        ];
    }

    closed() { this.step = "closed"; }

    /** The broker has acknowledged the subscription of this step. */
    acknowledged(now) {
        if (this.isAcknowledged) return;
        this.isAcknowledged = true;
        this.pause = quiet + 2 * (now - this.began);
        this.heard = now;
    }

    /** A message of a vehicle has arrived. An empty one on `availability` tells that the vehicle was forgotten. */
    received(name, path, isRetained, now, isEmpty = false) {
        if (this.step === "closed") return;
        if (isEmpty && path === "availability") {
            this.names.delete(name);
            this.waiting.delete(name);
        } else if (!isEmpty && !this.names.has(name) && this.names.size < nameLimit) {
            this.names.add(name);
            this.waiting.add(name);
        }
        if (!isRetained) return;
        this.heard = now;
        if (path !== "availability") return;
        if (this.step === "names") this.count += 1;
        if (this.step === "measuring") this.measured += 1;
        if (this.portion?.end === name) this.portion.hasEnded = true;
    }

    /** Time has passed. Returns what to subscribe to, what to unsubscribe from, and which vehicles are complete. */
    passed(now) {
        if (this.step === "vehicle" && (this.#isQuiet(now) || now - this.began >= patience)) {
            this.step = "names";
            this.#wait(now);
            return [this.#all];
        }
        if (this.step === "names" && this.#isQuiet(now)) this.step = "portions";
        if (this.step === "measuring" && this.#isQuiet(now)) {
            this.step = "portions";
            // Twice the messages at once: if no more arrive than before, these were all that the broker passes on.
            this.isCut = this.measured < this.count + others;
            return [{ unsubscribe: this.#measure.slice(1) }];
        }
        if (this.step !== "portions") return [];
        const actions = this.#portions(now);
        if (this.missing > 0 || this.measured !== undefined || this.count < many) return actions;
        this.step = "measuring";
        this.measured = 0;
        this.#wait(now);
        return [...actions, { subscribe: this.#measure, qos: 1, retained: true }];
    }

    #portions(now) {
        const actions = [];
        if (this.portion && (this.portion.hasEnded || this.#isQuiet(now, patience))) {
            actions.push({ unsubscribe: this.portion.filters }, { complete: this.portion.names });
            this.portion = undefined;
        }
        if (this.portion || this.waiting.size === 0) return actions;
        const names = [...this.waiting.values()].slice(0, portion);
        for (const name of names) this.waiting.delete(name);
        // The last topic is one that is retained for each vehicle, so its message ends the portion.
        const filters = [...all.slice(1), all[0]].flatMap((path) => names.map((name) => this.#filter(name, path)));
        this.portion = { names, filters, end: names[names.length - 1], hasEnded: false };
        this.#wait(now);
        actions.push({ subscribe: filters, qos: 0, retained: true });
        return actions;
    }

    get #all() { return { subscribe: [this.#filter("+", "availability")], qos: 1, retained: true }; }
    /** The same messages by two filters; a level # stands for none too. */
    get #measure() { return [this.#filter("+", "availability"), this.#filter("+", "availability/#")]; }

    #filter(name, path) { return `${this.prefix}/${name}/${path}`; }

    #wait(now) {
        this.began = this.heard = now;
        this.isAcknowledged = false;
        this.pause = quiet;
    }

    #isQuiet(now, least = 0) { return this.isAcknowledged && now - this.heard >= Math.max(least, this.pause); }
}
