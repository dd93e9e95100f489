#!/usr/bin/env -S python3 -B
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Attacks running agents and the command-line tools with every attack that once succeeded, and with those that failed.

It runs the release binaries with simulated vehicles, a real Mosquitto, and a broker of our own for what no real broker
does. Each attack is a row of the table that is printed at the end, with the required and the seen result. A family of
attacks is a module with a function `play`.
"""

import argparse
import asyncio
import functools
import importlib
import pathlib
import random
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent / name) for name in ("Hostile", "Chaos")]

from programs import beside, run_to_the_end
from table import Table

# The modules of the families: those that wait for most of their time, those that take some of the processor's, and
# those that measure delays, and need all of it.
WAITING = {
    "c1": "moved",
    "h2": "strangers",
    "h3": "clock",
    "h4": "recording",
    "h5": "addresses",
    "r1": "returns",
    "brokers": "brokers",
}
WORKING = {
    "m1": "tools",
    "m2": "screens",
    "m4": "privacy",
    "m6": "tls",
    "low": "low",
    "toml": "configuration",
    "topics": "topics",
    "bombs": "bombs",
}
MEASURING = {"h1": "keys_of_json", "signed": "commands"}
FAMILIES = WAITING | WORKING | MEASURING
# The number of WORKING families that play at once.
AT_ONCE = 3
# The longest time for a family, in seconds.
LIMIT = 200


class Arena:
    """Where a family plays: the programs, a directory of its own, its dice, and its rows of the table."""

    def __init__(self, options, directory, name, table):
        self.name = name
        self.binary = options.binary
        self.simulator = beside(options.binary, "obd-simulator")
        self.remote = beside(options.binary, "obd-remote")
        self.directory = pathlib.Path(directory) / name
        self.directory.mkdir()
        self.dice = random.Random(f"{options.seed} {name}")
        self.row = functools.partial(table.row, name)
        self.figure = table.figure


async def run(options, directory):
    """Plays the chosen families; whether all rows are well."""
    table = Table()

    chosen = options.attacks.split() or list(FAMILIES)
    if unknown := set(chosen) - FAMILIES.keys():
        print(f"attack: no such family: {', '.join(sorted(unknown))}; there are {', '.join(FAMILIES)}")
        return False
    for families, limit in ((WAITING, len(WAITING)), (WORKING, AT_ONCE), (MEASURING, 1)):
        places = asyncio.Semaphore(limit)
        await asyncio.gather(
            *(
                play(Arena(options, directory, name, table), module, places)
                for name, module in families.items()
                if name in chosen
            )
        )
    return table.show(list(FAMILIES))


async def play(arena, module, places):
    async with places:
        began = time.monotonic()
        try:
            async with asyncio.timeout(LIMIT):
                await importlib.import_module(module).play(arena)
        except Exception as error:
            arena.row(arena.name.upper(), "the family of attacks", "is played to the end", repr(error)[:200], False)
            traceback.print_exc()
        print(f"{arena.name}: {time.monotonic() - began:.0f} s", flush=True)


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--attacks", default="", help="the families to play, with spaces between; all without it")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--keep", help="a new directory for the logs, which stays")
    return parser.parse_args()


def main():
    chosen = options()
    print(f"seed {chosen.seed}", flush=True)
    run_to_the_end("attack", run, chosen, f"SEED={chosen.seed} plays the same again")


main()
