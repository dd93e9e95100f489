// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The codes and data that a clear erases, as far as they could be read, and the arguments that limit the clear to them.

import { freshness } from "./age.js";
import { list, members, number, object, text, texts, time } from "./json.js";

/** The reason of the contract for which the agent will refuse a clear now; undefined if none is known. */
export function obstacle(picture, now) {
    if (!picture.isObserved) return undefined;
    const isAbove = (role, least) => [...new Set([role, ...picture.named(role)])].some((name) => {
        const reading = picture.parameters.get(name);
        return reading !== undefined && number(reading.value) > least && freshness(picture, name, reading, now).state === "live";
    });
    if (isAbove("vehicle_speed", 0)) return "vehicle_moving";
    if (isAbove("engine_speed", 0)) return "engine_running";
    if (picture.ignition !== "running") return undefined;
    const evidence = picture.status.ignition_evidence === undefined ? ["engine_speed"] : texts(picture.status.ignition_evidence);
    // Other evidence, such as the supply voltage, does not show it: the agent reads the engine speed first.
    const reasons = { engine_speed: "engine_running", vehicle_speed: "vehicle_moving", ready: "drive_enabled" };
    return evidence.map((name) => (Object.hasOwn(reasons, name) ? reasons[name] : undefined)).find((reason) => reason !== undefined);
}

/** What keeps the user from a clear now: a reason of the contract for which the agent will refuse, or a state of the page. */
export function hindrance(picture, { isConnected, report }, now) {
    if (!isConnected) return { state: "lost" };
    if (picture?.availability !== "online" || !picture.isKnown("availability")) return { state: "offline" };
    // The answer may arrive before the message on the topic.
    const isLater = time(picture.codes?.time) > time(object(report).time);
    const names = (codes) => new ClearPreview(codes).erasable.join();
    if (isLater && names(picture.codes) !== names(report)) return { state: "changed" };
    const reason = obstacle(picture, now);
    return reason === undefined ? undefined : { reason };
}

export class ClearPreview {
    /** @param report the payload of `codes` */
    constructor(report) {
        this.report = object(report);
        this.entries = list(this.report.codes).map(object);
    }

    /** The codes that a clear erases: all but those that are permanent only. */
    get erasable() { return this.#names((states) => !(states.length === 1 && states[0] === "permanent")); }
    /** The codes of which a clear leaves nothing. */
    get gone() { return this.erasable.filter((code) => !this.permanent.includes(code)); }
    /** The codes that are permanent: until the ECU itself erases them, they stay. A clear erases only their other states. */
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
