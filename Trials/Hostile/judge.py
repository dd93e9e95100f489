# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""What reached the vehicle, by its own log: milliseconds since the boot, ECU, reply."""

import collections

# What the agent polls, with the lengths of what ECUs tell; 05 is asked for by no command.
LENGTHS = {0x05: 1, 0x0C: 2, 0x0D: 1, 0x0F: 1, 0x46: 1}
POLLED = 0x05


class Judge:
    def __init__(self, path):
        # How often each test was run, by the first byte of its data and the number behind it.
        self.tests = collections.Counter()
        self.clears = 0
        # When the polled parameter was told, in milliseconds since the boot.
        self.polls = []
        with open(path) as file:
            for line in file:
                time, ecu, text = line.split()
                data = bytes.fromhex(text)
                if ecu != "engine":
                    continue
                if data[:2] == b"\x48\x01":
                    self.tests[data[2], int.from_bytes(data[3:7], "big")] += 1
                elif data[0] == 0x44:
                    self.clears += 1
                elif data[0] == 0x41 and is_poll(data):
                    self.polls.append(int(time))

    def longest_gap(self, begin, end, breaks):
        """The longest time without a poll in seconds, from begin to end; those with a break in them count apart."""
        usual, after_break = 0, 0
        polls = [begin] + [time for time in self.polls if begin < time < end] + [end]
        for before, after in zip(polls, polls[1:]):
            if any(before <= back and killed <= after for killed, back in breaks):
                after_break = max(after_break, after - before)
            else:
                usual = max(usual, after - before)
        return usual / 1000, after_break / 1000


def is_poll(data):
    place = 1
    while place < len(data):
        if data[place] == POLLED:
            return True
        if data[place] not in LENGTHS:
            return False
        place += 1 + LENGTHS[data[place]]
    return False
