// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The limits of a vehicle that are exceeded, out of its message.

import { flag, members, object, text, time } from "./json.js";

/** The largest number of limits to show; an agent has no more. */
export const limitLimit = 64;

const name = /^[a-z][a-z0-9_]{0,99}$/;

/** The exceeded limits, the newest first: their names, their conditions, and since when. */
export function exceeded(message) {
    return members(object(message).limits).slice(0, limitLimit)
        .filter(([key, state]) => name.test(key) && flag(object(state).exceeded) === true)
        .map(([key, state]) => ({ name: key, when: text(object(state).when) ?? "", since: time(object(state).since) }))
        .sort((one, other) => (other.since ?? 0) - (one.since ?? 0) || (one.name < other.name ? -1 : 1));
}
