// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The clock of ages. It never goes back, and it goes on while the machine sleeps.

/** The difference of the two clocks that their resolution and slewing explain, in milliseconds. */
const tolerance = 1000;

export class Clock {
    #now = -Infinity;
    /** The wall clock minus the monotonic one: when they were last seen to part, and as far as ages count it. */
    #difference;
    #offset;
    /** The number of jumps forward: the machine has slept, or its clock was corrected. */
    jumps = 0;

    /**
     * Milliseconds since 1970, by the wall clock of the first reading.
     *
     * Browsers may halt their monotonic clock while the machine sleeps, so a jump of the wall clock forward counts. One back
     * does not: a value may look too old for a moment, but never too new. The origins of the clocks are compared, not the
     * steps from reading to reading, because the wall clock has whole milliseconds, and such errors would add up.
     */
    read(monotonic, wall) {
        const difference = wall - monotonic;
        this.#offset ??= difference;
        this.#difference ??= difference;
        const jump = difference - this.#difference;
        if (Math.abs(jump) > tolerance) {
            this.#difference = difference;
            if (jump > 0) {
                this.#offset += jump;
                this.jumps += 1;
            }
        }
        this.#now = Math.max(this.#now, monotonic + this.#offset);
        return this.#now;
    }
}
