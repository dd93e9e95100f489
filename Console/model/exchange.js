// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// One command that was sent, and what is believed of what is answered.
//
// The id is no secret: whoever may publish can send something else under it, and is answered too. So of a signed command
// those answers count that name its issuer; a refusal that does not is believed when nothing better comes.

import { later } from "./commands.js";

/** How long a refusal is doubted that does not name who has signed, in milliseconds. */
export const doubt = 10_000;
/** How long after its expiry an answer may still be on its way. */
export const grace = 5_000;
/** How long somebody who has accepted it may be silent. */
export const patience = 300_000;

export class Exchange {
    /** @param issuer who has signed it; undefined: nobody */
    constructor({ id, command, vehicle, issuer, sent, expires }) {
        Object.assign(this, { id, command, vehicle, issuer, expires });
        this.heard = sent;
        /** `sent`, a state of the contract, `doubted` or `unanswered`. */
        this.state = "sent";
        this.answer = undefined;
        this.doubted = undefined;
    }

    get isOver() { return ["succeeded", "failed", "refused", "unanswered"].includes(this.state); }

    /** An answer with its id came; returns whether something is new. */
    receive(answer, now) {
        if (this.isOver) return false;
        if (this.issuer !== undefined && answer.issuer !== this.issuer) {
            const isPossible = answer.state === "refused" && !later.includes(answer.reason) && this.state === "sent";
            if (!isPossible) return false;
            this.doubted = { answer, until: now + doubt };
            this.answer = answer;
            this.state = "doubted";
            return true;
        }
        this.doubted = undefined;
        this.heard = now;
        this.answer = answer;
        this.state = answer.state;
        return true;
    }

    /** Time has passed; returns whether something is new. */
    passed(now) {
        if (this.isOver) return false;
        if (this.doubted) {
            if (now < this.doubted.until) return false;
            this.state = "refused";
            return true;
        }
        const end = this.state === "sent" ? this.expires + grace : Math.max(this.heard + patience, this.expires);
        if (now < end) return false;
        this.state = "unanswered";
        return true;
    }
}
