# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""What somebody sees who looks at a screen once."""

import dataclasses
import re

# The words of the dashboard, of the lines and of the page.
AGE = re.compile(r"just now|(\d+) (s|min|h|d)\b|(\d+) (second|minute|hour)s? ago|age unknown|unknown time")
SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86400, "second": 1, "minute": 60, "hour": 3600}


@dataclasses.dataclass
class Look:
    # The values that look like the present ones.
    live: set = dataclasses.field(default_factory=set)
    # The others, each with the least and the greatest age in seconds that the words may mean; nothing for none.
    old: dict = dataclasses.field(default_factory=dict)
    # The lamps that are lit.
    lamps: set = dataclasses.field(default_factory=set)
    # What contradicts itself, or the contract.
    wrong: list = dataclasses.field(default_factory=list)
    # What would be wrong while nothing is measured.
    stray: list = dataclasses.field(default_factory=list)


def age(words):
    """The span in seconds that an age in words means; nothing where the words have no age, or an unknown one."""
    match = AGE.search(words)
    if not match:
        return None
    number, unit = match.group(1) or match.group(3), match.group(2) or match.group(4)
    if number:
        return int(number) * SECONDS[unit], (int(number) + 1) * SECONDS[unit]
    return (0, 5) if match.group() == "just now" else None


def is_aged(words):
    """Whether the words have an age, be it an unknown one."""
    return AGE.search(words) is not None
