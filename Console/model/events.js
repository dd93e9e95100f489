// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The events of vehicles, as a bounded list: those that arrive while the page is open, and earlier ones that were asked for.

import { Earlier } from "./earlier.js";
import { brief, isNewer, number, object, text, texts, time } from "./json.js";

/** The largest numbers of events to keep: of one vehicle, and of all. */
export const eventLimit = 200;
export const totalLimit = 1000;
/** The number of earlier events to ask for at once. */
export const portion = 50;
/** The longest text of an event. */
const longest = 300;

/** The words of the contract, by how much they ask for attention. */
const tones = {
    code_appeared: "bad", mil_on: "bad", battery_low: "bad", wrong_vehicle: "bad", limit_exceeded: "bad", records_dropped: "bad",
    upgrade_rolled_back: "bad",
    code_gone: "good", mil_off: "good", limit_cleared: "good", finding_recorded: "good",
};

/** An event in the form that the page shows; undefined if the payload is none. Only small members are kept of it. */
export function event(json, vehicle) {
    const body = object(isNewer(json) ? undefined : json);
    const short = (value) => brief(value, longest);
    const [kind, agent, epoch, seq, at] = [short(body.event), short(body.agent), number(body.epoch), number(body.seq), time(body.time)];
    if (kind === undefined || epoch === undefined || seq === undefined || at === undefined) return undefined;
    const [limit, trip, capture, exchange] = [object(body.limit), object(body.trip), object(body.capture), object(body.exchange)];
    return {
        vehicle, kind, epoch, seq, agent,
        id: `${agent}/${epoch}/${seq}`,
        time: at,
        isCertain: text(body.clock) === "synchronised",
        tone: Object.hasOwn(tones, kind) ? tones[kind] : "rest",
        code: short(body.code), description: short(body.description), ecu: short(body.ecu), states: texts(body.states).slice(0, 8).map(short),
        reason: [body.reason, capture.code, capture.condition, exchange.request].map(short).find((reason) => reason !== undefined),
        name: short(limit.name) ?? short(capture.rule), when: short(limit.when), trigger: short(capture.trigger),
        voltage: number(body.voltage), charge: number(body.state_of_charge), energy: number(body.energy),
        duration: number(body.duration) ?? number(trip.duration), distance: number(trip.distance),
        finding: short(object(body.finding).text), severity: short(object(body.finding).severity),
        other: short(body.previous) ?? short(body.vehicle),
        missing: number(body.from) !== undefined && number(body.to) !== undefined ? [body.from, body.to] : undefined,
        stream: short(body.stream),
    };
}

/** The newest event first: by the record's number within an agent's epoch, else by its time. */
const order = (one, other) => (one.agent === other.agent && one.epoch === other.epoch ? other.seq - one.seq : other.time - one.time);

export class EventLog {
    constructor() {
        /** The lists by vehicle, the newest event first, and the number of all events. */
        this.lists = new Map();
        this.count = 0;
        /** The number of changes. */
        this.version = 0;
        this.asked = undefined;
    }

    /** Takes a payload's JSON. Returns the event if it is a new one. */
    receive(vehicle, json) {
        const found = event(json, vehicle);
        if (found === undefined) return undefined;
        const list = this.of(vehicle);
        // The broker may deliver an event again, and so may the agent.
        if (list.some((one) => one.id === found.id)) return undefined;
        const kept = [...list, found].sort(order).slice(0, eventLimit);
        if (!kept.includes(found)) return undefined;
        this.count += kept.length - list.length;
        // The vehicle that sent last is the last to be dropped.
        this.lists.delete(vehicle);
        this.lists.set(vehicle, kept);
        while (this.count > totalLimit) this.#drop();
        this.version += 1;
        return found;
    }

    /** The events of a vehicle, the newest first. */
    of(vehicle) { return this.lists.get(vehicle) ?? []; }

    /** What was asked for of the time before; of the vehicle that the user asked about last. */
    earlier(vehicle) {
        if (this.asked?.vehicle !== vehicle) this.asked = { vehicle, earlier: new Earlier("events", portion) };
        return this.asked.earlier;
    }

    #drop() {
        const [vehicle, list] = this.lists.entries().next().value;
        this.lists.delete(vehicle);
        this.count -= list.length;
    }
}
