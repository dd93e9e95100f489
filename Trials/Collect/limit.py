# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The limit of one collector: the samples a second that it writes, beside a program that does the least."""

import contextlib
import time

from bench import SAMPLES, Bench
from usage import Usage, delays, told

# The number of vehicles of the generator, and the part of the limit at which delays are measured.
VEHICLES, PART = 200, 0.5
# The first seconds of a steady rate do not count: each vehicle's series are new.
WARM_UP = 5
# The sample of the last second of each record: nothing but the way delays it.
LAST = "SELECT pg_xact_commit_timestamp(xmin) AS done, time FROM samples WHERE (value * 4)::bigint % 10 = 9"


async def run(options, directory, postgres, table):
    rates = {}
    for name in ("floor", "collect"):
        rates[name] = await measure(options, directory, postgres, table, name)
    if not all(rates.values()):
        return False
    table["the collector, of the floor program"] = f"{rates['collect'] / rates['floor']:.0%}"
    results = [await measure(options, directory, postgres, table, name, rates["collect"] * PART) for name in rates]
    return all(results)


async def measure(options, directory, postgres, table, name, rate=0):
    """Writes a load at a rate, or as fast as it can be; the rate in samples a second, or 0 if a sample is missing or doubled."""
    bench = Bench(options, directory, f"{name}_{'steady' if rate else 'limit'}")
    records = max(1, int(rate / SAMPLES * options.steady / VEHICLES) if rate else options.records // VEHICLES)
    expected = VEHICLES * records * SAMPLES
    with contextlib.ExitStack() as stack:
        stack.callback(bench.close)
        await bench.open(postgres)
        program = bench.floor() if name == "floor" else bench.collector()
        stack.callback(program.kill)
        program.start()
        await bench.subscribed(program)
        used = Usage(**{name: program, "database": postgres, "broker": bench.broker})
        began = time.time()
        bench.generate(VEHICLES, records, rate / SAMPLES)
        await bench.done(expected, program, postgres)
        used.end()
        rows, different, seconds = await bench.count()
        reached = rows / max(seconds, 0.001)
        figures = f"{reached:,.0f} samples/s in {reached / SAMPLES:,.0f} records/s"
        if rate:
            figures = f"late by {told(await delays(postgres, bench.name, LAST, since=began + WARM_UP))}"
        row = f"{name}, at {rate:,.0f} samples/s" if rate else f"{name}, at its limit"
        table[row] = f"{figures}; {used.told(seconds)}"
        print(f"{row}: {rows} of {expected} samples, {rows - different} of them twice; {table[row]}", flush=True)
        print(f"generator: {bench.directory.joinpath('generator.log').read_text().strip()}", flush=True)
        return reached if (rows, different) == (expected, expected) else 0
