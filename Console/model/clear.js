// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The codes and data that a clear erases, as far as they could be read, and the arguments that limit the clear to them.

import { list, members, object, text, texts } from "./json.js";

export class ClearPreview {
    /** @param report the payload of `codes` */
    constructor(report) {
        this.report = object(report);
        this.entries = list(this.report.codes).map(object);
    }

    /** The codes that a clear erases: all but those that are permanent only. */
    get erasable() { return this.#names((states) => !(states.length === 1 && states[0] === "permanent")); }
    /** The codes that a clear leaves. */
    get permanent() { return this.#names((states) => states.includes("permanent")); }
    /** The unread lists, which a clear erases all the same. */
    get unread() { return ["stored", "pending"].filter((state) => this.#isUnread(state)); }

    /** The freeze frames that the clear erases, by ECU, as far as they are known. */
    get frames() {
        return members(this.report.freeze_frames).flatMap(([ecu, frame]) => {
            const state = text(object(frame).state);
            if (state === "none" || state === "not_supported") return [];
            if (state !== "stored") return [{ ecu, isRead: false, unread: [] }];
            const code = text(object(frame).code);
            const entry = this.entries.find((one) => one.ecu === ecu && one.code === code);
            return [{ ecu, code, isRead: true, unread: texts(object(entry?.freeze_frame).unread) }];
        });
    }

    /** Whether some of the erased data could not be read. The agent then refuses without `accept_incomplete`. */
    get isIncomplete() {
        return this.unread.length > 0 || this.frames.some((frame) => !frame.isRead || frame.unread.length > 0);
    }

    /** The arguments of `clear_codes`. Without a code to name, `confirm` is "all". */
    arguments({ acceptsIncomplete = false } = {}) {
        const order = { confirm: this.erasable.length > 0 ? this.erasable : "all" };
        if (acceptsIncomplete) order.accept_incomplete = true;
        return order;
    }

    #names(isMeant) {
        const meant = this.entries.filter((entry) => isMeant(texts(entry.states))).map((entry) => text(entry.code));
        return [...new Set(meant.filter((code) => code !== undefined))].sort();
    }

    #isUnread(state) {
        if (texts(this.report.not_supported).includes(state)) return false;
        return texts(this.report.unread).includes(state) || (state === "stored" && this.report.known !== true);
    }
}
