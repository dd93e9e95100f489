# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Two brokers that know nothing of each other: each is killed and brought back, one hangs; a consumer of both sees no gap."""

import asyncio
import pathlib
import signal
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Chaos"))

from broker import Broker
from consumer import Consumer
from ledger import Ledger, rank
from load import RECORDS, everybody, quiet, verdict
from programs import listens
from vehicles import Vehicles

# A connection is given up whose records nobody acknowledges for a minute; then the next broker is tried.
PATIENCE = 150


async def run(options, directory):
    brokers, ledger = [Broker(name, directory) for name in ("first", "second")], Ledger()
    vehicles = Vehicles(options, directory, [broker.url for broker in brokers])
    consumers = []
    try:
        for broker in brokers:
            broker.start()
            await listens(broker.port)
            consumers.append(Consumer(broker.name, broker.port, ledger.hear, RECORDS, "archive"))
        began = time.time()
        vehicles.start()
        await everybody(options, vehicles, ledger, began, "first")
        print(f"{options.vehicles} vehicles on the first broker", flush=True)
        await asyncio.sleep(options.seconds / 6)
        is_fine = True
        for dead, alive in (brokers, brokers[::-1]):
            is_fine &= await killed(options, ledger, dead, alive)
        is_fine &= await hung(options, ledger, *brokers)
        # They tell of themselves every ten seconds.
        await asyncio.sleep(12)
        online = vehicles.progress[1]
        await vehicles.stop(60)
        await quiet(consumers)
        return verdict(options, ledger, vehicles, online) and is_fine
    finally:
        for consumer in consumers:
            consumer.close()
        for program in (vehicles, *brokers):
            program.kill()


async def killed(options, ledger, dead, alive, heard=None):
    """Kills one of two brokers, brings it back, and tells how the vehicles came to the other; whether all did.

    They are heard by a consumer of the broker that lives, unless that is told.
    """
    at = time.time()
    dead.kill()
    await asyncio.sleep(options.seconds / 4)
    back = ledger.back(at, heard or alive.name)
    dead.start()
    await listens(dead.port, 60)
    await asyncio.sleep(options.seconds / 6)
    return told(options, f"{dead.name} broker killed", back)


async def hung(options, ledger, dead, alive):
    """Lets one of two brokers stand still, its connections with it, until all are at the other; whether that came."""
    at = time.time()
    dead.process.send_signal(signal.SIGSTOP)
    deadline = time.monotonic() + PATIENCE
    while len(ledger.back(at, alive.name)) < options.vehicles and time.monotonic() < deadline:
        await asyncio.sleep(0.5)
    dead.process.send_signal(signal.SIGCONT)
    return told(options, f"{dead.name} broker hung", ledger.back(at, alive.name))


def told(options, what, back):
    """Tells when the vehicles were back; whether all are."""
    print(f"{what}: {len(back)} of {options.vehicles} on the other, back after {rank(back, 0.5):.1f} s (median),", end=" ")
    print(f"{rank(back, 0.99):.1f} s (99 %), {rank(back, 1):.1f} s (last); {most(back)} of them in a second at most", flush=True)
    return len(back) == options.vehicles


def most(times):
    """The most of them that are in one second."""
    return max((sum(begin <= time < begin + 1 for time in times) for begin in times), default=0)
