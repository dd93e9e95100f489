# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""What the simulated vehicle has served, by the log that it keeps: milliseconds since the boot, ECU, reply."""

PARAMETERS = {
    0x1F: "run_time",
    0x21: "distance_with_mil",
    0x31: "distance_since_clear",
    0x4D: "run_time_with_mil",
    0x4E: "time_since_clear",
}
# What else the agent asks together with them.
LENGTHS = {
    0x00: 4, 0x01: 4, 0x20: 4, 0x40: 4,
    # For the ignition and for trips.
    0x04: 1, 0x05: 1, 0x0C: 2, 0x0D: 1, 0x10: 2, 0x2F: 1, 0x41: 4, 0x44: 2, 0x51: 1, 0x5B: 1, 0x5E: 2, 0xA6: 4,
}


def served(path):
    """Each number that was served: parameter, number, milliseconds since the boot."""
    try:
        with open(path) as file:
            lines = file.readlines()
    except FileNotFoundError:
        return
    for line in lines:
        # The last may be torn by a kill: nobody has heard that reply.
        time, ecu, text = (line.split() + ["", ""])[:3]
        if ecu != "engine" or not line.endswith("\n") or not text.startswith("41"):
            continue
        data, at = bytes.fromhex(text), 1
        while at < len(data):
            pid = data[at]
            if pid in PARAMETERS:
                yield PARAMETERS[pid], int.from_bytes(data[at + 1 : at + 3], "big"), int(time)
                at += 3
            elif pid in LENGTHS:
                at += 1 + LENGTHS[pid]
            else:
                break


def next_number(path):
    """The first number that no parameter has had."""
    return max((number for _, number, _ in served(path)), default=0) + 1
