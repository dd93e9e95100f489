#!/usr/bin/env -S python3 -B
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Breaks everything between the vehicles and the database at random, and then counts.

The programs as they are shipped: vehicles with agents, Mosquitto, `obd-remote collect`, PostgreSQL. What the vehicles have
by their own databases must be in the collectors' exactly once; what a broker lost is asked for again.
"""

import argparse
import asyncio
import pathlib
import random
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Chaos"))

from books import missing, rows
from breaks import Breaks
from programs import Died, run_to_the_end
from scene import Scene
from verdict import verdict

# The most seconds without any progress until every gap is closed: a request whose answer was lost costs 230.
PATIENCE = 300
RESENDS = "SELECT count(*) FROM commands WHERE CAST(response AS TEXT) LIKE '%\"command\":\"resend\"%' AND state = ?"


async def run(options, directory):
    dice = random.Random(options.seed)
    scene = Scene(options, directory, options.collectors or dice.randint(1, 3))
    breaks = Breaks(scene, dice, options.longest)
    try:
        async with asyncio.timeout(options.faults * (options.gap[1] + options.longest) + 1200):
            await scene.start()
            print(f"{options.vehicles} vehicles, collectors: {scene.count}", flush=True)
            # Until the vehicles are identified, and have something to say.
            await asyncio.sleep(12)
            began = time.monotonic()
            for number in range(1, options.faults + 1):
                await asyncio.sleep(dice.uniform(*options.gap))
                while not (name := breaks.choose()):
                    await asyncio.sleep(0.2)
                scene.check()
                print(f"{time.monotonic() - began:6.0f} s  {number:3}  {name}", flush=True)
            await breaks.mended()
            scene.check()
            lacking, waiting = await missing(scene.vans, scene.postgres)
            print(f"mended           {lacking} records are missing, {waiting} wait in the vehicles", flush=True)
            return await settle(scene)
    finally:
        scene.close()


async def settle(scene):
    """Lets every gap be closed, ends the vehicles in good order, and counts; whether all is well."""
    began = time.monotonic()
    await closed(scene, "vehicles drive", PATIENCE)
    for van in scene.vans:
        await van.vehicle.stop()
    await closed(scene, "vehicles away", PATIENCE)
    took = time.monotonic() - began
    resends = [sum(rows(van.database, RESENDS, (state,))[0][0] for van in scene.vans) for state in ("succeeded", "refused")]
    print(f"gaps closed      after {took:.0f} s; {resends[0]} resend commands in the vehicles' journals, {resends[1]} refused", flush=True)
    statuses = [await van.agent.stop() for van in scene.vans]
    # What the agents said last.
    await closed(scene, "agents ended", 10)
    for collector in scene.collectors:
        print(f"{collector.name:17}{await asyncio.to_thread(collector.status)}", flush=True)
    statuses += [await collector.stop(30) for collector in scene.collectors]
    is_whole = await verdict(scene.vans, scene.postgres)
    print(f"ends             exit statuses of agents and collectors: {statuses}")
    return is_whole and not any(statuses) and None not in statuses


async def closed(scene, when, patience):
    """Waits until the database has all that the vehicles have, or nothing comes any more."""
    # An agent whose vehicle drives gathers its next record.
    allowed = {"vehicles drive": 2, "vehicles away": 0, "agents ended": 0}[when] * len(scene.vans)
    best, since = sys.maxsize, time.monotonic()
    while time.monotonic() < since + patience:
        scene.check()
        try:
            lacking, waiting = await missing(scene.vans, scene.postgres)
        except Died as error:
            print(f"{when}: {error}", flush=True)
            lacking, waiting = sys.maxsize, 0
        if lacking <= allowed and waiting <= allowed:
            return
        if lacking + waiting < best:
            best, since = lacking + waiting, time.monotonic()
        await asyncio.sleep(1)
    print(f"{when}: {best} records missing or waiting, and no progress for {patience} s", flush=True)


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--vehicles", type=int, default=10)
    parser.add_argument("--collectors", type=int, help="how many, 1 to 3 by the seed unless told")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--gap", type=float, nargs=2, default=(5, 25), help="seconds between two faults")
    parser.add_argument("--longest", type=float, default=15, help="seconds that a fault lasts at most")
    parser.add_argument("--keep", help="a new directory for the logs, which stays")
    return parser.parse_args()


def main():
    chosen = options()
    print(f"seed {chosen.seed}, {chosen.faults} faults", flush=True)
    run_to_the_end("collect", run, chosen, f"SEED={chosen.seed} does the same again")


main()
