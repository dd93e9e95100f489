// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The state of one vehicle, out of its messages. Everything is bounded, because any client may have sent them.

import { isOfAdapter, limit } from "./age.js";
import { capture, captureLimit } from "./capture.js";
import { Earlier } from "./earlier.js";
import { History } from "./history.js";
import { brief, flag, isNewer, list, members, number, object, parse, text, texts, time } from "./json.js";
import { position } from "./position.js";
import { telemetry } from "./telemetry.js";
import { Track } from "./track.js";
import { finished, tripLimit } from "./trip.js";
import { converted, unitIn } from "./units.js";

/** The largest number of parameters to keep for a vehicle; far more than any vehicle has. */
export const parameterLimit = 600;
/** The largest payload, in bytes. */
export const payloadLimit = 512 * 1024;

/** The roles of values of a traction battery, in the order of the page. The last ones belong to other vehicles too. */
export const batteryRoles = [
    "state_of_charge", "charging", "plugged_in", "charger_power", "traction_battery_power", "traction_battery_voltage",
    "traction_battery_current", "traction_battery_temperature", "state_of_health", "charged_energy",
];
/** The time for which a lead of the vehicle's clock counts, in milliseconds; for at most twice of it. */
const leadSpan = 30_000;
const commonRoles = ["ready", "range"];
/** The largest number of values of a role. */
const roleLimit = 16;

const series = /^[a-z][a-z0-9_]{0,99}(\/[0-9A-F]{2,8})?$/;
/** The topics whose messages the list shows. */
const listed = new Set(["availability", "status", "codes"]);
const documents = new Set(["status", "vehicle", "codes", "monitors", "trip", "limits", "position", "finding"]);

export class Picture {
    constructor(name) {
        /** The vehicle's topic level. */
        this.name = name;
        /** `online` or `offline`; undefined until a message says so. */
        this.availability = undefined;
        this.status = this.vehicle = this.codes = this.monitors = this.trip = this.limits = this.position = this.finding = undefined;
        /** The time at which the newest value of an ECU arrived while values were measured; undefined before the first. */
        this.measured = undefined;
        /** The newest value by series. */
        this.parameters = new Map();
        /** The histories by series, of numbers only. */
        this.histories = new Map();
        /** The captures that have arrived by their own time, the newest first: an agent may send older ones again. */
        this.captures = [];
        /** The finished trips that events have told, the newest first. */
        this.trips = [];
        /** The way of the vehicle. */
        this.track = new Track();
        /** What was asked for of the time before the page was opened. */
        this.earlier = new Earlier();
        /** The largest leads of the vehicle's clock over this machine's: of the present span, and of the one before. */
        this.leads = [];
        /** The topics with a message that only a later version of the page understands. */
        this.newer = new Set();
        /** The topics of which the present connection has brought a message. */
        this.known = new Set();
        /** Whether all that the broker had retained for the list has arrived. */
        this.isComplete = false;
        /** The number of changes of what the list shows. */
        this.version = 0;
    }

    /** Takes the payload, in bytes, of one of the vehicle's topics. Returns what changed, or undefined. */
    receive(path, payload, now, isRetained) {
        const change = this.#receive(path, payload, now, isRetained);
        if (change === undefined || !listed.has(path)) return change;
        this.known.add(path);
        this.version += 1;
        if (!this.isObserved) this.#end(now);
        return change;
    }

    /** Everything that the list shows has arrived. */
    complete() {
        this.isComplete = true;
        this.version += 1;
    }

    /** The connection is lost: what is known may be no longer true. */
    lost(now) {
        this.#end(now);
        this.known.clear();
        this.isComplete = false;
        this.version += 1;
    }

    /** The page subscribes to the vehicle no longer. What may change meanwhile is dropped; the broker sends it again. */
    unfollow(now) {
        this.#end(now);
        this.parameters.clear();
        this.vehicle = this.monitors = this.trip = this.limits = this.position = this.finding = undefined;
    }

    /** Forgets what only grows: the histories, captures, trips and the track. */
    forget() {
        this.histories.clear();
        this.captures = [];
        this.trips = [];
        this.track = new Track();
        this.earlier = new Earlier();
    }

    /** This machine's clock has jumped: what it was compared with says nothing now. */
    jumped() { this.leads = []; }

    /** Nothing is known about the values from now on. */
    #end(now) {
        for (const history of this.histories.values()) history.close(this.end(now));
    }

    #receive(path, payload, now, isRetained) {
        if (payload.length > payloadLimit) return undefined;
        const body = new TextDecoder().decode(payload);
        if (body === "") this.newer.delete(path);
        if (path === "availability") {
            this.availability = body === "online" || body === "offline" ? body : undefined;
            return path;
        }
        if (documents.has(path)) {
            const json = body === "" ? undefined : this.#understood(path, parse(body));
            this[path] = json === undefined ? undefined : object(json);
            if (path === "position") this.track.see(position(this.position));
            return path;
        }
        if (path === "events") return this.#event(this.#understood(path, parse(body)));
        if (path === "telemetry") return this.#record(this.#understood(path, parse(body)));
        if (path === "responses") this.#understood(path, parse(body));
        if (path.startsWith("parameters/")) return this.#parameter(path.slice(11), body, now, isRetained);
        return undefined;
    }

    /** The JSON of a topic, unless a later version of the contract wrote it. */
    #understood(path, json) {
        if (!isNewer(json)) {
            this.newer.delete(path);
            return json;
        }
        this.newer.add(path);
        return undefined;
    }

    /** Takes the lead of the vehicle's clock that a live reading shows. The largest one is that of the fastest message. */
    #lead(lead, now) {
        const [present, before] = this.leads;
        if (present && now - present.since < leadSpan) present.lead = Math.max(present.lead, lead);
        else this.leads = [{ lead, since: now }, ...(present && now - present.since < 2 * leadSpan ? [present] : [])];
    }

    #event(json) {
        for (const [kind, found, limit] of [["captures", capture(json), captureLimit], ["trips", finished(json), tripLimit]]) {
            // The broker may deliver an event again.
            if (found === undefined || this[kind].some((one) => one.id === found.id)) continue;
            this[kind] = [found, ...this[kind]].sort((one, other) => other.end - one.end).slice(0, limit);
            return this[kind].includes(found) ? kind : undefined;
        }
        return undefined;
    }

    /** Takes recorded samples where nothing is known yet: from before the page was opened, and of lost connections. */
    #record(json) {
        const found = telemetry(json);
        if (found === undefined) return undefined;
        for (const { name, points } of found.series) {
            const unit = this.parameters.get(name)?.unit;
            const metric = unitIn(unit, "metric");
            // Records are metric, and the values of some agents are not.
            if (!this.histories.has(name) || (metric !== unit && unitIn(metric, "us") !== unit)) continue;
            const samples = metric === unit ? points : points.map((point) => ({ ...point, value: converted(point.value, metric, "us").value }));
            this.histories.get(name).fill(samples, limit(this, name));
        }
        this.track.record(found.track);
        return "telemetry";
    }

    #parameter(name, body, now, isRetained) {
        if (!series.test(name)) return undefined;
        const json = body === "" ? undefined : parse(body);
        if (json === undefined) {
            this.parameters.delete(name);
            this.histories.delete(name);
            return "parameters";
        }
        if (this.parameters.size >= parameterLimit && !this.parameters.has(name)) return undefined;
        // The agent may have held back a value that it measured before the link was lost.
        const isLive = !isRetained && this.isObserved;
        if (isLive && !isOfAdapter(name)) this.measured = now;
        const reading = {
            value: object(json).value,
            label: brief(object(json).label),
            unit: brief(object(json).unit),
            ecu: brief(object(json).ecu),
            quality: text(object(json).quality),
            time: time(object(json).time),
            /** The time of its arrival, if its age counts from there; undefined if it counts from its own time. */
            arrived: isLive ? now : undefined,
        };
        // After a lost connection the broker sends the newest value again.
        const before = this.parameters.get(name);
        if (!isLive && reading.time !== undefined && before?.time === reading.time) reading.arrived = before.arrived;
        this.parameters.set(name, reading);
        const isDated = reading.time !== undefined && reading.quality !== "unsynchronised";
        if (isDated && isLive) this.#lead(reading.time - now, now);
        if (number(reading.value) === undefined) return "parameters";
        if (!this.histories.has(name)) this.histories.set(name, new History());
        // Any other value than a live one needs a known time. A retained one must be the present one, too.
        if ((!isLive && !isDated) || (isRetained && !this.isObserved)) return "parameters";
        const at = isDated ? reading.time : now;
        if (!isLive && at <= this.histories.get(name).newest) return "parameters";
        this.histories.get(name).add(at, reading.value, this.isObserved ? at + limit(this, name) : at);
        return "parameters";
    }

    /** Whether the present connection has brought a message of a topic. */
    isKnown(path) { return this.known.has(path); }
    /** Whether the agent publishes values of this vehicle now, as far as the connection to the broker tells. */
    get isObserved() {
        return this.isKnown("availability") && this.availability === "online" && this.isKnown("status")
            && this.link === "connected" && this.isConfirmed && this.isParked !== true;
    }
    /** The time in seconds within which the agent publishes a measured value again. */
    get liveWithin() { return number(this.status?.live_within); }
    /** The poll interval of a value in seconds; undefined if it is not selected. */
    interval(name) { return number(object(this.vehicle?.selected)[name.split("/")[0]]); }

    get vin() { return text(this.vehicle?.vin); }
    /** The time of the agent's last message, by the agent's clock. */
    get lastSeen() { return time(this.status?.time); }
    get link() { return text(this.status?.link); }
    get problem() { return text(this.status?.problem); }
    get isParked() { return flag(this.status?.parked); }
    get ignition() { return text(this.status?.ignition); }
    get isConfirmed() { return this.status?.vehicle_confirmed !== false; }
    get isSimulated() { return this.status?.simulated === true; }
    get adapter() { return text(this.status?.adapter?.identity) ?? text(this.status?.adapter?.address); }
    get voltage() { return number(this.status?.battery?.voltage) ?? number(this.status?.adapter?.voltage); }
    get mil() { return flag(this.codes?.mil); }
    /** The number of codes; undefined if it is unknown. */
    get codeCount() {
        if (this.codes?.known !== true) return undefined;
        return new Set(list(this.codes.codes).map((entry) => text(object(entry).code))).size;
    }
    /** Whether this is the leftover of an agent that has identified its vehicle by now. */
    get isForerunner() {
        if (this.availability === "online" || !this.name.startsWith("agent-")) return false;
        // Most have such a name; the status tells.
        return this.status === undefined ? !this.isComplete : this.name === `agent-${text(this.status.agent)}`;
    }
    /** Whether the page leaves out messages, because a later version of the contract wrote them. */
    get isNewer() { return this.newer.size > 0; }
    /** Whether nothing of what the list shows is there any more: the vehicle was forgotten. */
    get isEmpty() { return [this.availability, this.status, this.vehicle, this.codes].every((one) => one === undefined) && this.newer.size === 0; }
    /** The lead of the vehicle's clock over this machine's, in milliseconds; undefined if no message shows it. */
    get ahead() { return this.leads.length === 0 ? undefined : Math.max(...this.leads.map(({ lead }) => lead)); }
    /** Whether the vehicle's clock was set, as far as the agent tells. */
    get isClockCertain() { return text(this.status?.clock) !== "unsynchronised"; }
    /** The end of the plots: now, by the clock that has dated the readings. */
    end(now) { return now + (this.ahead ?? 0); }

    /** The names of the values with a role, the one that counts first at the front. */
    named(role) {
        return texts(object(this.vehicle?.roles)[role]).slice(0, roleLimit).filter((name) => this.parameters.has(name));
    }

    /** The role of a value; undefined if it has none. */
    role(name) { return members(this.vehicle?.roles).find(([, names]) => texts(names).includes(name))?.[0]; }

    /** Whether a role that is true or false is true; undefined if it has no value. */
    truth(role) {
        const codes = object(this.vehicle?.true_values);
        const truths = this.named(role).map((name) => {
            const value = this.parameters.get(name).value;
            return flag(value) ?? (number(value) === undefined ? undefined : Object.hasOwn(codes, name) ? list(codes[name]).includes(value) : value !== 0);
        }).filter((truth) => truth !== undefined);
        return truths.length === 0 ? undefined : truths.includes(true);
    }

    /** The names of the values of the traction battery; empty if the vehicle has none. */
    get battery() {
        const names = batteryRoles.flatMap((role) => this.named(role));
        return names.length === 0 ? names : [...new Set([...names, ...commonRoles.flatMap((role) => this.named(role))])];
    }

    /** The parameters that can be selected, with their poll intervals in seconds if they are selected. */
    get choices() {
        const selected = new Map(members(this.vehicle?.selected).filter(([, seconds]) => number(seconds) !== undefined));
        const names = new Set(selected.keys());
        for (const ecu of list(this.vehicle?.ecus)) for (const name of texts(object(ecu).supported)) names.add(name);
        const isName = /^([a-z][a-z0-9_]{0,99}|01[0-9A-F]{2})$/;
        return [...names].filter((name) => isName.test(name)).sort().slice(0, parameterLimit)
            .map((name) => ({ name, interval: selected.get(name) }));
    }
}
