// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Asks for records from before the page was opened, with the command `resend`: from the newest to older ones.

import { number, object } from "./json.js";

/** The number of samples' records to ask for at once: half an hour of the agent's usual batches of ten seconds. */
export const portion = 180;
/** A number beyond all records: the answer tells the last one. */
const beyond = Number.MAX_SAFE_INTEGER;
/** The largest number of epochs without records to pass over at once. */
export const emptyLimit = 10;

export class Earlier {
    #stream;
    #portion;
    #epoch;
    /** The number below which records are wanted; undefined until an answer tells the last one of the epoch. */
    #below;
    /** Whether the newest records of the present epoch have been asked for; the status may be a minute older than they are. */
    #hasBegun = false;

    /** Whether there is nothing earlier. */
    isOver = false;

    constructor(stream = "telemetry", size = portion) {
        [this.#stream, this.#portion] = [stream, size];
    }

    /** The arguments of the next command; undefined if there is nothing to ask for, or nothing tells what. */
    next(status) {
        const acknowledged = object(object(status).acknowledged);
        if (this.#epoch === undefined) {
            const [epoch, last] = [number(acknowledged.epoch), number(acknowledged[this.#stream])];
            if (epoch === undefined || last === undefined) return undefined;
            [this.#epoch, this.#below] = [epoch, last + 1];
        }
        if (this.#hasBegun && this.#below !== undefined && this.#below <= 1) [this.#epoch, this.#below] = [this.#epoch - 1, undefined];
        this.isOver = this.#epoch < 1;
        if (this.isOver) return undefined;
        const from = this.#below === undefined ? beyond : Math.max(1, this.#below - this.#portion);
        // Without an end it is through the last one.
        const end = this.#below === undefined || !this.#hasBegun ? {} : { to: this.#below - 1 };
        return { stream: this.#stream, epoch: this.#epoch, from, ...end };
    }

    /** Takes the result of the command. Returns whether records follow. */
    received(order, result) {
        if (order.epoch !== this.#epoch) return false;
        this.#hasBegun = true;
        const isQuestion = order.from === beyond;
        this.#below = isQuestion ? (number(result.last) ?? 0) + 1 : order.from;
        return !isQuestion && (number(result.records) ?? 0) > 0;
    }
}
