// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// What the user has chosen, kept for the next visit: never a name, a password or a key.

import { object, parse } from "./json.js";

const item = "obd-agent-console";
/** The longest text to keep; more is not kept. */
const limit = 4000;

/** The choices by name; those that an earlier version of the page has kept, or another page, are dropped. */
const names = ["language", "units", "sort", "filter", "search", "hidden", "window", "series", "notify", "notifyKinds"];

export class Choices {
    #storage;
    #kept;

    /** @param storage the browser's local storage; undefined if the browser has none for this page */
    constructor(storage) {
        this.#storage = storage;
        let text;
        try {
            text = storage?.getItem(item) ?? "";
        } catch {
            text = "";
        }
        const kept = object(text.length <= limit ? parse(text) : undefined);
        this.#kept = Object.fromEntries(Object.entries(kept).filter(([name]) => names.includes(name)));
    }

    /** A choice that is one of these values; the first of them if the user has chosen none of them. */
    one(name, values) {
        return values.includes(this.#kept[name]) ? this.#kept[name] : values[0];
    }

    /** A text that the user has chosen. */
    text(name) {
        return typeof this.#kept[name] === "string" ? this.#kept[name] : "";
    }

    /** A list of texts that the user has chosen. */
    list(name) {
        const found = this.#kept[name];
        return Array.isArray(found) ? found.filter((one) => typeof one === "string") : [];
    }

    /** Whether the user has chosen anything under this name, such as an empty list. */
    has(name) { return Object.hasOwn(this.#kept, name); }

    /** Keeps a choice: a text, or a list of texts. */
    keep(name, value) {
        if (!names.includes(name)) throw new RangeError(`${name} is no choice that is kept`);
        this.#kept = { ...this.#kept, [name]: value };
        const text = JSON.stringify(this.#kept);
        try {
            if (text.length <= limit) this.#storage?.setItem(item, text);
        } catch {
            // Without room or permission the choice holds for this visit only.
        }
    }
}
