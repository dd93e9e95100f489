# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Three collectors behind a shared subscription, one of which is killed under load, and comes back."""

import asyncio
import contextlib

from bench import SAMPLES, Bench
from usage import Usage

VEHICLES, COLLECTORS = 200, 3
# The seconds for which one is dead.
DEAD = 5


async def run(options, directory, postgres, table):
    bench = Bench(options, directory, "shared")
    records = max(1, options.records // VEHICLES)
    expected = VEHICLES * records * SAMPLES
    with contextlib.ExitStack() as stack:
        stack.callback(bench.close)
        await bench.open(postgres)
        collectors = [bench.collector(number + 1, "archive") for number in range(COLLECTORS)]
        for collector in collectors:
            stack.callback(collector.kill)
            collector.start()
            await bench.subscribed(collector)
        used = Usage(database=postgres, broker=bench.broker)
        bench.generate(VEHICLES, records)
        while await bench.rows() < expected / 4:
            for program in (bench.broker, *collectors):
                program.check()
            await asyncio.sleep(0.2)
        collectors[0].kill()
        await asyncio.sleep(DEAD)
        there = await bench.rows()
        collectors[0].start()
        await bench.done(expected, *collectors)
        used.end()
        rows, different, seconds = await bench.count()
        figures = f"{rows / max(seconds, 0.001):,.0f} samples/s, {expected - different} missing, {rows - different} twice"
        table[f"{COLLECTORS} collectors, one killed for {DEAD} s"] = f"{figures}; {used.told(seconds)}"
        print(f"shared: {there} of {expected} samples when it came back; {rows} in the end; {figures}", flush=True)
        return (rows, different) == (expected, expected)
