# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The day of a fleet: many simulated vehicles, one broker, one collector and the database on this machine, for minutes."""

import asyncio
import contextlib
import time

from bench import Bench
from books import numbers
from programs import Died
from usage import EVERY, Usage, delays, told
from vehicles import Vehicles

SIZES = (
    "SELECT count(*), coalesce(extract(epoch FROM max(time) - min(time)), 0), pg_table_size('samples'), pg_indexes_size('samples'), "
    "pg_database_size(current_database()) FROM samples"
)
TWICE = "SELECT count(*) FROM (SELECT FROM samples GROUP BY series, time, value HAVING count(*) > 1) AS same"
# The seconds without a new record after which no more are expected.
QUIET = 20


async def run(options, directory, postgres, table):
    bench = Bench(options, directory, "day")
    vehicles = Vehicles(options, bench.directory, [bench.broker.url])
    with contextlib.ExitStack() as stack:
        stack.callback(bench.close)
        await bench.open(postgres)
        collector = bench.collector()
        stack.callback(collector.kill)
        collector.start()
        await bench.subscribed(collector)
        stack.callback(vehicles.kill)
        vehicles.start()
        await online(options, vehicles, collector, bench.broker)
        began = time.time()
        used, fleet = Usage(collector=collector, database=postgres, broker=bench.broker), vehicles.usage
        while time.time() < began + options.minutes * 60:
            for program in (vehicles, collector, bench.broker, postgres):
                program.check()
            await asyncio.sleep(1)
        used.end()
        taken = used.told(time.time() - began), fleet.share
        table[f"{options.vehicles:,} vehicles for {options.minutes:.0f} minutes"] = f"{taken[0]}; the vehicles {taken[1]:.0f} % of a core"
        table["delay, newest sample of a batch"] = told(await delays(postgres, bench.name, since=began))
        table["delay, every sample"] = told(await delays(postgres, bench.name, EVERY, since=began))
        await vehicles.stop(60)
        return await counted(postgres, bench.name, vehicles, collector, table)


async def online(options, vehicles, *programs):
    deadline = time.monotonic() + 180 + options.vehicles / 10
    while vehicles.progress[1] < options.vehicles:
        for program in (vehicles, *programs):
            program.check()
        if time.monotonic() > deadline:
            raise Died(f"only {vehicles.progress[1]} of {options.vehicles} vehicles came online")
        await asyncio.sleep(1)
    print(f"day: {options.vehicles} vehicles online; {options.minutes:.0f} minutes follow", flush=True)


async def streams(postgres, database):
    """The numbers that came of each stream; an agent goes on counting once it knows its vehicle, so the name does not count."""
    found = {}
    for *stream, came in await postgres.ask("SELECT agent, stream, epoch, numbers FROM received", database):
        found.setdefault(tuple(stream), set()).update(numbers(came))
    return [one for one in found.values() if one]


async def counted(postgres, database, vehicles, collector, table):
    """Prints the sizes; whether each numbered record is there."""
    _, _, numbered, waiting, dropped = vehicles.progress
    best, since = -1, time.monotonic()
    while time.monotonic() < since + QUIET and best < numbered:
        found = await streams(postgres, database)
        came = sum(len(one) for one in found)
        if came > best:
            best, since = came, time.monotonic()
        await asyncio.sleep(1)
    ((rows, seconds, heap, index, whole),) = await postgres.ask(SIZES, database)
    rows, heap, index, whole = int(rows), int(heap), int(index), int(whole)
    each = (heap + index) / max(1, rows)
    table["rows"] = f"{rows:,}, {rows / max(1, float(seconds)):,.0f} a second; {each:.0f} bytes each, {index / max(1, rows):.0f} of them the index's"
    table["database"] = f"{whole / 1e6:,.0f} MB"
    holes = sum(max(one) - len(one) for one in found)
    ((twice,),) = await postgres.ask(TWICE, database)
    table["records"] = f"{numbered:,} numbered, {best:,} came; {holes} missing between others, {dropped} dropped; {twice} samples twice"
    print(f"day: {table['records']}; {waiting} were not acknowledged at the end", flush=True)
    status = await collector.stop(30)
    return rows > 0 and not holes and twice == "0" and best >= numbered - waiting and not dropped and status == 0
