// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// The identity of a vehicle, and its ECUs with what each of them answers.

import { list, number, object, text, texts, time } from "./json.js";

/** The largest numbers of ECUs, and of names in a list of one; more than a vehicle has. */
export const ecuLimit = 64;
const nameLimit = 600;

/** The facts about the vehicle by the name of the contract, as far as they are known. */
export function identity(picture) {
    const [vehicle, status] = [object(picture.vehicle), object(picture.status)];
    const set = object(vehicle.signal_set);
    const facts = {
        vin: text(vehicle.vin),
        vin_check_digit: text(vehicle.vin) === undefined ? undefined : text(vehicle.vin_check_digit),
        protocol: text(vehicle.protocol) ?? text(status.protocol),
        dialect: text(vehicle.dialect) ?? text(status.dialect),
        ignition: text(object(picture.monitors).ignition),
        signal_set: text(set.name) && [set.name, number(set.year)].filter(Boolean).join(" "),
        signal_set_share: number(set.share),
        adapter: picture.adapter,
        agent: text(status.version),
    };
    return { time: time(vehicle.time), facts: Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) };
}

/** The ECUs: their names and numbers, what they answer, and what of them could not be read. */
export function ecus(vehicle) {
    return list(object(vehicle).ecus).slice(0, ecuLimit).map(object).flatMap((body) => {
        if (text(body.ecu) === undefined) return [];
        const sums = texts(body.calibration_verification_numbers);
        return [{
            ecu: body.ecu,
            name: text(body.name)?.trim() || undefined,
            vin: text(body.vin),
            // The standard keeps both lists in the same order.
            calibrations: texts(body.calibration_ids).slice(0, 64).map((id, index) => ({ id, sum: sums[index] })),
            sums: sums.slice(texts(body.calibration_ids).length, 64),
            serial: text(body.engine_serial_number),
            approval: text(body.type_approval_number),
            supported: texts(body.supported).slice(0, nameLimit),
            unread: texts(body.unread),
        }];
    });
}

/** The name of an ECU by its address; undefined if the vehicle does not tell one. */
export const ecuName = (vehicle, ecu) => ecus(vehicle).find((one) => one.ecu === ecu)?.name;
