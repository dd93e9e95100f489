#!/usr/bin/env -S python3 -B
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Sends the agent everything that a hostile broker could, and a few honest commands in between.

The program as it is shipped, and the simulated vehicle, which stands with its engine off and can be told to do things:
its own log is the judge of what was executed. The broker is ours, since no real one misbehaves as much.
"""

import argparse
import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Chaos"))

from part import Part
from programs import run_to_the_end
from outcome import outcome


async def run(options, directory):
    """All parts; whether all is well."""
    count = options.commands
    # By default nobody may do anything unsigned; then, as configured by default, everybody may read.
    parts = [
        Part(options, f"{directory}/none", "none", 5, count * 9 // 10),
        Part(options, f"{directory}/observer", "observer", 4, count // 10),
    ]
    is_fine = True
    for part in parts:
        status = await part.run()
        is_fine = outcome(part, status) and is_fine
    return is_fine


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--commands", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--unsigned-role", help="for an agent that obeys more than it should: see that this fails")
    parser.add_argument("--keep", help="a new directory for the logs, which stays")
    return parser.parse_args()


def main():
    chosen = options()
    print(f"seed {chosen.seed}, {chosen.commands} commands", flush=True)
    run_to_the_end("hostile", run, chosen, f"SEED={chosen.seed} does much the same again")


main()
