# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The lines of "watch" in a pipe, as somebody reads them who knows only the lines."""

import re
import time

from look import Look, age

LINE = re.compile(r"(\d\d:\d\d:\d\d[.\d]*)? *(\S+) {2,}(.*)")
STATES = ("availability", "status", "broker")
# A value is older than a message takes, and than the clock of the reader may differ.
OLD = 75


class Lines:
    def __init__(self, parameters):
        self.parameters = parameters
        self.rest = ""
        # The states that say that nothing is measured now.
        self.dark = set()
        # The values since the last return of all, by the time of their lines.
        self.values = {}
        self.wrong, self.stray = [], []

    def feed(self, text):
        *lines, self.rest = (self.rest + text).split("\n")
        for line in lines:
            if match := LINE.match(line):
                self.line(*match.groups())

    def line(self, told, subject, words):
        is_kept = "(last known" in words
        if subject in STATES:
            good = {"availability": "online", "status": "connected", "broker": "connected again"}[subject]
            if words.startswith(good) and "not confirmed" not in words:
                self.dark.discard(subject)
            else:
                self.dark.add(subject)
                self.values = {}
        elif subject in self.parameters and not is_kept:
            if self.dark:
                # At a return the values may come before the state.
                self.stray.append(f"{subject} is told as a present one after {', '.join(sorted(self.dark))}")
            if told and delay(told) > OLD:
                self.wrong.append(f"{subject} of {told} is told as a present one {delay(told):.0f} s later")
            self.values[subject] = time.monotonic()
        elif subject in self.parameters and age(words) is None and "age unknown" not in words:
            self.wrong.append(f"{subject} is kept without its age")

    def look(self):
        names = {"availability": "agent", "status": "link", "broker": "broker"}
        lamps = {lamp for state, lamp in names.items() if state not in self.dark} | (set() if self.dark else {"vehicle"})
        look = Look(live=set() if self.dark else set(self.values), lamps=lamps, wrong=self.wrong, stray=self.stray)
        self.wrong, self.stray = [], []
        return look


def delay(told):
    """The seconds since a time of day (UTC)."""
    hours, minutes, seconds = told.split(":")
    now = time.time() % 86400
    return (now - int(hours) * 3600 - int(minutes) * 60 - float(seconds) + 43200) % 86400 - 43200
