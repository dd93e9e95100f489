// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The clock of ages. It never goes back, and it goes on while the machine sleeps.

export class Clock {
    #now;
    #monotonic;
    #wall;

    /**
     * Milliseconds since 1970, by the wall clock of the first reading.
     *
     * Browsers may halt their monotonic clock while the machine sleeps, and users may set the wall clock back. So the
     * faster of both counts: a value may look too old for a moment, but never too new.
     */
    read(monotonic, wall) {
        this.#now = this.#now === undefined ? wall : this.#now + Math.max(0, monotonic - this.#monotonic, wall - this.#wall);
        [this.#monotonic, this.#wall] = [monotonic, wall];
        return this.#now;
    }
}
