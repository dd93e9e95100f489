#!/usr/bin/env -S python3 -B
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Breaks everything around the agent, and the agent, at random, and counts what was lost.

The program as it is shipped, Mosquitto, and the simulated vehicle, whose parameters count. Nothing that the vehicle
served may be missing at the end, but for what a killed agent had not written yet. Nobody subscribes: what the broker
acknowledged is seen by a proxy in front of it.
"""

import argparse
import asyncio
import random
import time

from faults import Faults
from programs import run_to_the_end
from stage import Stage, boot_milliseconds
from verdict import verdict
from witness import Witness


async def run(options, directory):
    dice = random.Random(options.seed)
    stage = Stage(options.binary, directory, Witness())
    faults = Faults(stage, dice, options.longest)
    began = time.monotonic()
    try:
        async with asyncio.timeout(options.faults * (options.gap[1] + options.longest) + 210):
            await stage.start()
            await asyncio.sleep(8)
            for number in range(1, options.faults + 1):
                await asyncio.sleep(dice.uniform(*options.gap))
                while not (name := faults.choose()):
                    await asyncio.sleep(0.2)
                stage.check()
                records = stage.witness.records.values()
                missing = sum(not record.acknowledged for record in records)
                line = f"{time.monotonic() - began:6.0f} s  {number:3}  {name}"
                print(f"{line}; {len(records)} records seen, {missing} not acknowledged", flush=True)
            await faults.mended()
            stage.check()
            status = await settle(stage)
        return verdict(stage, status)
    finally:
        stage.close()


async def settle(stage):
    """Lets everything arrive, then ends the agent in good order."""
    await asyncio.sleep(8)
    await stage.vehicle.stop()
    stage.vehicle_ends.append(boot_milliseconds())
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and stage.proxy.quiet() < 15:
        await asyncio.sleep(0.5)
    return await stage.agent.stop()


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--gap", type=float, nargs=2, default=(5, 40), help="seconds between two faults")
    parser.add_argument("--longest", type=float, default=10, help="seconds that a fault lasts at most")
    parser.add_argument("--keep", help="a new directory for the logs, which stays")
    return parser.parse_args()


def main():
    chosen = options()
    print(f"seed {chosen.seed}, {chosen.faults} faults", flush=True)
    run_to_the_end("chaos", run, chosen, f"SEED={chosen.seed} does the same again")


main()
