// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// All vehicles on the broker.

import { Picture } from "./picture.js";
import { split } from "./topics.js";

/** The largest number of vehicles to keep. */
export const vehicleLimit = 500;

export class Fleet {
    constructor(prefix) {
        this.prefix = prefix;
        this.vehicles = new Map();
    }

    /** Takes a message. Returns the vehicle, the topic below it, and what changed in its picture. */
    receive(topic, payload, now, isRetained) {
        const place = split(this.prefix, topic);
        if (!place) return undefined;
        let picture = this.vehicles.get(place.vehicle);
        if (!picture) {
            // An emptied topic makes no vehicle.
            if (payload.length === 0 || this.vehicles.size >= vehicleLimit) return undefined;
            picture = new Picture(place.vehicle);
            this.vehicles.set(place.vehicle, picture);
        }
        return { ...place, picture, change: picture.receive(place.path, payload, now, isRetained) };
    }

    /** The vehicles to show: online ones first, then by name. */
    get shown() {
        const order = (picture) => (picture.availability === "online" ? 0 : 1);
        return [...this.vehicles.values()]
            .filter((picture) => !picture.isForerunner && (picture.availability || picture.status || picture.vehicle))
            .sort((one, other) => order(one) - order(other) || (one.name < other.name ? -1 : 1));
    }
}
