// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// All vehicles on the broker.

import { payloadLimit, Picture } from "./picture.js";
import { overview, split } from "./topics.js";

/** The largest number of vehicles to keep, and of forerunners, which do not count as vehicles. */
export const vehicleLimit = 5000;
/** The number of vehicles whose histories, captures and tracks are kept. */
export const visitLimit = 5;

export class Fleet {
    constructor(prefix) {
        this.prefix = prefix;
        this.vehicles = new Map();
        /** The number of changes of what the list shows. */
        this.version = 0;
        /** Whether the page is connected to the broker. */
        this.isConnected = false;
        /** The names of vehicles beyond the limit, as far as they are counted. */
        this.leftOut = new Set();
        this.forerunners = 0;
        /** The name of the chosen vehicle. */
        this.followed = undefined;
        this.visited = [];
    }

    /** Chooses a vehicle. Messages about the values of others, which may still be on their way, no longer count. */
    follow(name, now) {
        const left = this.vehicles.get(this.followed);
        left?.unfollow(now);
        this.followed = name;
        if (left) this.#dropEmpty(left);
        // Histories are kept of the vehicles that the user has looked at last.
        this.visited = [name, ...this.visited.filter((one) => one !== name)];
        for (const other of this.visited.splice(visitLimit)) this.vehicles.get(other)?.forget();
    }

    /** The connection is open; what was known before is confirmed by the messages that follow. */
    opened() {
        this.isConnected = true;
        this.version += 1;
    }

    /** The connection is lost: from now on everything is only the last known. */
    lost(now) {
        this.isConnected = false;
        this.version += 1;
        for (const picture of this.vehicles.values()) picture.lost(now);
    }

    /** This machine's clock has jumped. */
    jumped() {
        for (const picture of this.vehicles.values()) picture.jumped();
    }

    /** Takes a message. Returns the vehicle, the topic below it, and what changed in its picture. */
    receive(topic, payload, now, isRetained) {
        const place = split(this.prefix, topic);
        if (!place || payload.length > payloadLimit) return undefined;
        const isListed = place.path === "availability" || overview.includes(place.path);
        // The events of all vehicles can notify, but only those of the chosen one have captures and trips to keep.
        if (place.path === "events" && place.vehicle !== this.followed) return place;
        if (!isListed && place.vehicle !== this.followed) return undefined;
        let picture = this.vehicles.get(place.vehicle);
        if (!picture) {
            // An emptied topic makes no vehicle.
            if (payload.length === 0) {
                this.leftOut.delete(place.vehicle);
                return undefined;
            }
            picture = new Picture(place.vehicle);
            picture.receive(place.path, payload, now, isRetained);
            if (!this.#hasRoom(picture)) {
                if (this.leftOut.size < vehicleLimit) this.leftOut.add(place.vehicle);
                return undefined;
            }
            this.vehicles.set(place.vehicle, picture);
            this.leftOut.delete(place.vehicle);
            this.version += 1;
            if (picture.isForerunner) this.forerunners += 1;
            return { ...place, picture, change: place.path };
        }
        const wasForerunner = picture.isForerunner;
        const version = picture.version;
        const change = picture.receive(place.path, payload, now, isRetained);
        if (picture.version !== version || place.path === "vehicle") this.version += 1;
        this.forerunners += Number(picture.isForerunner) - Number(wasForerunner);
        if (payload.length === 0) this.#dropEmpty(picture);
        return { ...place, picture, change };
    }

    /** Drops a vehicle of which the broker has nothing any more, so that it takes no room. The shown one stays. */
    #dropEmpty(picture) {
        if (!picture.isEmpty || picture.name === this.followed) return;
        if (picture.isForerunner) this.forerunners -= 1;
        this.vehicles.delete(picture.name);
        this.visited = this.visited.filter((name) => name !== picture.name);
        this.version += 1;
    }

    /** Everything that the broker has retained for the list of these vehicles has arrived. */
    complete(names) {
        this.version += 1;
        for (const name of names) {
            const picture = this.vehicles.get(name);
            if (!picture) continue;
            const wasForerunner = picture.isForerunner;
            picture.complete();
            this.forerunners += Number(picture.isForerunner) - Number(wasForerunner);
        }
    }

    /** The number of the vehicles to show. */
    get count() {
        if (this.counted?.version !== this.version) this.counted = { version: this.version, count: this.shown.length };
        return this.counted.count;
    }

    /** The vehicles to show, in no order. */
    get shown() {
        return [...this.vehicles.values()].filter((picture) => !picture.isForerunner && (picture.availability || picture.status || picture.vehicle));
    }

    /** The vehicle for a visitor who has chosen none: the first online one by name. */
    get first() {
        const online = this.shown.filter((picture) => picture.availability === "online");
        return online.reduce((first, picture) => (first === undefined || picture.name < first.name ? picture : first), undefined);
    }

    #hasRoom(picture) {
        const taken = picture.isForerunner ? this.forerunners : this.vehicles.size - this.forerunners;
        return taken < vehicleLimit;
    }
}
