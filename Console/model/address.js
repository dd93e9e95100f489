// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The addresses within the page: the list with its search and order, or a vehicle and one of its parts.

import { isVehicle } from "./topics.js";

/** The longest vehicle, part, search or order in an address. */
const limit = 300;

function decoded(text) {
    try {
        return decodeURIComponent(text).slice(0, limit);
    } catch {
        return "";
    }
}

/** What an address such as `#/VIN1/codes` or `#/?search=P0301&sort=lamp` shows; all members are undefined for no address. */
export function parse(hash) {
    const match = /^#\/([^/?]*)(?:\/([^/?]*))?(?:\?(.*))?$/.exec(hash);
    if (!match) return {};
    const query = new URLSearchParams(match[3] ?? "");
    const vehicle = decoded(match[1]);
    const member = (name) => query.get(name)?.slice(0, limit) || undefined;
    return {
        isAddress: true,
        // A name that no topic has would subscribe to other vehicles, or end the connection.
        vehicle: isVehicle(vehicle) ? vehicle : undefined,
        part: decoded(match[2] ?? "") || undefined,
        search: member("search"), sort: member("sort"), filter: member("show"),
    };
}

/** The address of the list. */
export function listAddress({ search, sort, filter } = {}) {
    const query = new URLSearchParams(Object.entries({ search, sort, show: filter }).filter(([, value]) => value));
    const text = query.toString();
    return text === "" ? "#/" : `#/?${text}`;
}

/** The address of a vehicle, or of a part of it. */
export const vehicleAddress = (vehicle, part) => `#/${encodeURIComponent(vehicle)}${part ? `/${encodeURIComponent(part)}` : ""}`;
