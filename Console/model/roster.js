// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The list of vehicles: searched, filtered, in the wanted order, and counted.

import { list, object, text, time } from "./json.js";

export const sorts = ["state", "name", "lamp", "codes", "seen", "battery"];
export const filters = ["all", "online", "parked", "offline", "lamp", "codes"];

/** The age up to which a voltage tells something about a battery, in milliseconds. */
const day = 86_400_000;

/** What the list shows of a vehicle. `isPresent`: whether its state is the present one. */
function facts(picture, isConnected) {
    const { availability } = picture;
    const state = availability === "online" ? (picture.isParked === true ? "parked" : "online") : availability ?? "unknown";
    return {
        name: picture.name,
        picture,
        state,
        isPresent: availability === undefined || (isConnected && picture.isKnown("availability")),
        lamp: picture.mil,
        codes: picture.codeCount,
        names: list(object(picture.codes).codes).map((entry) => text(object(entry).code)).filter(Boolean),
        /** Whether the lamp and the voltage are those of this moment. */
        isObserved: isConnected && picture.isObserved,
        voltage: picture.voltage,
        measured: time(object(picture.status?.battery).time) ?? picture.lastSeen,
        seen: picture.lastSeen,
    };
}

const last = Number.MAX_SAFE_INTEGER;
const states = { online: 0, parked: 1, offline: 2, unknown: 3 };
const lampRank = ({ lamp }) => (lamp === true ? 0 : lamp === undefined ? 1 : 2);
const codesRank = ({ codes }) => (codes > 0 ? -codes : codes === undefined ? 0 : 1);
/** The rank of a row; rows of the same rank are in the order of their names. */
const ranks = {
    state: ({ state }) => states[state],
    name: () => 0,
    lamp: (row) => lampRank(row) * 1e6 + codesRank(row),
    codes: codesRank,
    // Online vehicles are all seen now, so they do not change places.
    seen: ({ state, seen }) => (state === "online" ? -last : seen === undefined ? last : -seen),
    battery: ({ volts }) => volts ?? last,
};
const isKept = {
    all: () => true,
    online: ({ state }) => state === "online",
    parked: ({ state }) => state === "parked",
    offline: ({ state }) => state === "offline",
    lamp: ({ lamp }) => lamp === true,
    codes: ({ codes }) => codes > 0,
};

export class Roster {
    #rows = new Map();
    /** The rows in the order of their names. */
    #order = [];
    #turn = 0;
    #words;
    #collator;

    /**
     * @param words gives the words of a row that a search finds besides its name and codes
     * @param language the language of the order of names
     */
    constructor(words, language = "en") {
        this.#words = words;
        this.#collator = new Intl.Collator(language, { numeric: true });
        this.counts = Object.fromEntries(filters.map((name) => [name, 0]));
        /** The rows to show, in their order. */
        this.rows = [];
    }

    /** Takes the vehicles, what is wanted of them, and the present time. */
    update(pictures, isConnected, { search = "", sort = sorts[0], filter = filters[0] } = {}, now = 0) {
        this.#take(pictures, isConnected);
        for (const name of filters) this.counts[name] = 0;
        const wanted = search.toLowerCase().split(/\s+/).filter((word) => word !== "");
        const keeps = filters.includes(filter) ? isKept[filter] : isKept.all;
        const rank = sorts.includes(sort) ? ranks[sort] : ranks.state;
        const found = [];
        for (const row of this.#order) {
            for (const name of filters) if (isKept[name](row)) this.counts[name] += 1;
            row.volts = now - row.measured > day ? undefined : row.voltage;
            if (!keeps(row) || !wanted.every((word) => row.text.includes(word))) continue;
            row.rank = rank(row);
            found.push(row);
        }
        // Sorting is stable, so the names decide among equal ranks.
        this.rows = found.sort((one, other) => one.rank - other.rank);
    }

    /** Brings the rows of what is new or changed up to date, and drops those of vehicles that are gone. */
    #take(pictures, isConnected) {
        this.#turn += 1;
        let isNew = false;
        for (const picture of pictures) {
            let row = this.#rows.get(picture.name);
            if (row?.picture !== picture) {
                isNew = true;
                row = { picture };
                this.#rows.set(picture.name, row);
            }
            row.turn = this.#turn;
            if (row.version === picture.version && row.isConnected === isConnected) continue;
            Object.assign(row, facts(picture, isConnected), { version: picture.version, isConnected });
            row.text = [row.name, ...row.names, this.#words(row)].join(" ").toLowerCase();
        }
        if (!isNew && this.#rows.size === pictures.length) return;
        for (const [name, { turn }] of this.#rows) if (turn !== this.#turn) this.#rows.delete(name);
        this.#order = [...this.#rows.values()].sort((one, other) => this.#collator.compare(one.name, other.name));
    }
}
