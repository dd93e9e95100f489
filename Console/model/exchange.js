// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// A sent command, and the responses that the page believes.
//
// The id is no secret: any client that may publish can send another message with it, and the agent answers that too. So
// of a signed command only responses with its issuer count. A refusal without the issuer counts only if no other comes.

import { retryReasons } from "./commands.js";

/** The time to wait for another response after a refusal without the issuer, in milliseconds. */
export const confirmationTimeout = 10_000;
/** The time after the expiry within which a response may still arrive, in milliseconds. */
export const deliveryGrace = 5_000;
/** The longest silence of an agent that has accepted the command, in milliseconds. */
export const silenceTimeout = 300_000;

export class Exchange {
    /** @param issuer the signer; undefined for an unsigned command */
    constructor({ id, command, parameters, vehicle, issuer, sent, expires }) {
        Object.assign(this, { id, command, parameters, vehicle, issuer, expires });
        this.lastResponseTime = sent;
        /** `sending` until the broker has it, `sent`, a state of the contract, `doubted`, `unanswered` or `unsent`. */
        this.state = "sending";
        /** Whether the connection was lost before the broker acknowledged the command. */
        this.isDoubtful = false;
        this.answer = undefined;
        this.doubted = undefined;
    }

    get isOver() { return ["succeeded", "failed", "refused", "unanswered", "unsent"].includes(this.state); }
    get #isUnanswered() { return this.state === "sending" || this.state === "sent"; }

    /** The broker has the command. Returns whether that changed the state. */
    acknowledged() {
        if (this.state !== "sending") return false;
        this.state = "sent";
        return true;
    }

    /** The broker does not have the command, or perhaps not. Returns whether that changed the state. */
    failed({ isDoubtful }) {
        if (this.state !== "sending") return false;
        this.isDoubtful = isDoubtful;
        this.state = isDoubtful ? "sent" : "unsent";
        return true;
    }

    /** Takes a response with the command's id. Returns whether it changed the state. */
    receive(answer, now) {
        if (this.isOver) return false;
        if (this.issuer !== undefined && answer.issuer !== this.issuer) {
            const isPossible = answer.state === "refused" && !retryReasons.includes(answer.reason) && this.#isUnanswered;
            if (!isPossible) return false;
            this.doubted = { answer, until: now + confirmationTimeout };
            this.answer = answer;
            this.state = "doubted";
            return true;
        }
        this.doubted = undefined;
        this.lastResponseTime = now;
        this.answer = answer;
        this.state = answer.state;
        return true;
    }

    /** Applies the timeouts. Returns whether that changed the state. */
    passed(now) {
        if (this.isOver) return false;
        if (this.doubted) {
            if (now < this.doubted.until) return false;
            this.state = "refused";
            return true;
        }
        const end = this.#isUnanswered ? this.expires + deliveryGrace : Math.max(this.lastResponseTime + silenceTimeout, this.expires);
        if (now < end) return false;
        this.state = "unanswered";
        return true;
    }
}
