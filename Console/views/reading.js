// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// A reading as people read it: in the user's units and language, with the digits of the shared words.

import { number, shown } from "../model/json.js";
import { converted, units } from "../model/units.js";
import { decimals } from "../model/values.js";
import { decimal, text, word } from "../texts.js";

/** A number of a value in a unit, by default that of the shared words. */
export function digits(value, series, unit) {
    const words = word.parameter(series.split("/")[0]);
    return decimal(value, decimals(value, unit ?? words?.unit, words), true);
}

/** The text of a reading, and its unit. */
export function reading(series, { value, unit, label }) {
    if (label !== undefined) return { text: word.label(label), unit: "" };
    if (typeof value === "boolean") return { text: text(value ? "values.yes" : "values.no"), unit: "" };
    if (number(value) === undefined) return { text: shown(value), unit: word.unit(unit ?? "") };
    const found = converted(value, unit, units(), word.parameter(series.split("/")[0])?.imperial?.unit);
    return { text: digits(found.value, series, found.unit), unit: word.unit(found.unit ?? "") };
}

/** The same in one text. */
export function inWords(series, item) {
    const found = reading(series, item);
    return [found.text, found.unit].filter(Boolean).join(" ");
}
