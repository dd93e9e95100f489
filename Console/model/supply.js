// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The voltage of the 12 V supply, out of the two messages that tell it.

import { age } from "./age.js";
import { number, text, time } from "./json.js";

const name = "supply_voltage";

/** The newest voltage with its age in milliseconds, which is undefined if it is unknown; undefined without a voltage. */
export function supply(picture, now) {
    const reading = picture.parameters.get(name);
    const status = { time: time(picture.status?.battery?.time), quality: text(picture.status?.clock) };
    const found = [
        { volts: picture.voltage, age: age(status, now) },
        reading && { volts: number(reading.value), age: age(reading, now) },
    ].filter((one) => one?.volts !== undefined);
    return found.sort((one, other) => (one.age ?? Number.MAX_VALUE) - (other.age ?? Number.MAX_VALUE))[0];
}
