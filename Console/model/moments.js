// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// What happened while values were plotted: codes that appeared, and captures.

import { list, object, text, time } from "./json.js";

/** The largest number of moments to show, the newest ones. */
const momentLimit = 20;
/** The time within which the same thing is the same moment: a capture notices a code that `codes` dates. */
const same = 60_000;

const kinds = new Set(["code_appeared", "mil_on", "condition", "harsh_braking", "engine_stall", "command"]);

/** The moments since the first plotted value, by time: what happened, and the code with its ECU. */
export function moments(picture) {
    const begin = Math.min(...[...picture.histories.values()].filter((history) => history.length > 0).map((history) => history.at(0)));
    const found = picture.captures.filter((one) => one.isCertain && kinds.has(one.trigger)).map((one) => ({ at: one.moment, kind: one.trigger, code: one.code, ecu: one.ecu }));
    for (const entry of list(picture.codes?.codes).map(object)) {
        const [code, at] = [text(entry.code), time(entry.first_seen)];
        const isKnown = found.some((one) => one.code === code && Math.abs(one.at - at) < same);
        if (code !== undefined && at !== undefined && !isKnown) found.push({ at, kind: "code_appeared", code, ecu: text(entry.ecu) });
    }
    return found.filter((one) => one.at >= begin).sort((one, other) => one.at - other.at).slice(-momentLimit);
}
