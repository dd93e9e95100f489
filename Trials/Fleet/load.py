# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Many vehicles at one broker: what they cost, and whether anything is missing."""

import asyncio
import os
import pathlib
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Chaos"))

from broker import Broker
from consumer import Consumer
from ledger import Ledger, rank
from programs import Died, listens
from vehicles import Usage, Vehicles

# As many start in a second.
START_RATE = 50
RECORDS = ["obd/+/telemetry/#", "obd/+/events", "obd/+/responses", "obd/+/availability"]
OTHERS = ["obd/+/parameters/#", "obd/+/status", "obd/+/vehicle", "obd/+/codes", "obd/+/monitors", "$SYS/broker/bytes/#"]


async def run(options, directory):
    broker, ledger = Broker("broker", directory), Ledger()
    vehicles = Vehicles(options, directory, [broker.url])
    consumers = []
    try:
        broker.start()
        await listens(broker.port)
        # One for which the broker keeps what comes, and a dashboard, for which it does not.
        consumers.append(Consumer("broker", broker.port, ledger.hear, RECORDS, "archive"))
        consumers.append(Consumer("broker", broker.port, ledger.hear, OTHERS, "dashboard", qos=0))
        for consumer in consumers:
            await asyncio.to_thread(consumer.subscribed.wait, 10)
        vehicles.start()
        began = time.time()
        await everybody(options, vehicles, ledger, began, "broker")
        print(f"{options.vehicles} vehicles online after {time.time() - began:.0f} s; {options.seconds:.0f} s follow", flush=True)
        usage = Usage([broker.process.pid]), vehicles.usage
        ledger.begin()
        opened = time.time()
        await asyncio.sleep(options.seconds)
        for program in (vehicles, broker):
            program.check()
        report(options, ledger, *usage, opened)
        print(f"storm    {broker.most_connections()} connections in a second at most", flush=True)
        online = vehicles.progress[1]
        await vehicles.stop(60)
        await quiet(consumers)
        return verdict(options, ledger, vehicles, online)
    finally:
        for consumer in consumers:
            consumer.close()
        for program in (vehicles, broker):
            program.kill()


async def everybody(options, vehicles, ledger, since, broker):
    """Waits until each vehicle has come online, under its own name."""
    deadline = time.monotonic() + options.vehicles / START_RATE * 3 + 90
    while len(ledger.back(since, broker)) < options.vehicles:
        vehicles.check()
        if time.monotonic() > deadline:
            raise Died(f"only {len(ledger.back(since, broker))} vehicles came online")
        await asyncio.sleep(0.5)


async def quiet(consumers):
    """Waits until nothing comes any more, and that is not only a pause."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and time.monotonic() - max(one.heard for one in consumers) < 3:
        await asyncio.sleep(0.2)


def report(options, ledger, broker, agents, opened):
    seconds = time.time() - opened
    hours = options.vehicles * seconds / 3600
    rates = {}
    for way in ("received", "sent"):
        counts = [(at, int(payload)) for at, topic, payload in ledger.system if topic.endswith(f"/bytes/{way}") and at > opened]
        (first, before), (last, after) = counts[0], counts[-1]
        rates[way] = (after - before) / max(1, last - first)
    messages = sum(ledger.messages.values())
    (resident, _), (agents_resident, agents_own) = broker.memory, agents.memory
    print(f"machine  {os.cpu_count()} cores; sample {options.sample}.toml{f', all every {options.every} s' if options.every else ''}")
    print(f"broker   {broker.share:.0f} % of a core, {resident / 1024:.0f} MiB; {messages / seconds:.0f} messages/s,", end=" ")
    print(f"{rates['received'] / 1000:.0f} kB/s in, {rates['sent'] / 1000:.0f} kB/s out")
    print(f"agents   {agents.share:.0f} % of a core, {agents.share * 10 / options.vehicles:.2f} ms each a second;", end=" ")
    print(f"{agents_resident / options.vehicles:.0f} KiB each, {agents_own / options.vehicles:.0f} of its own")
    print(f"an hour  {messages / hours:.0f} messages, {rates['received'] * seconds / hours / 1e6:.2f} MB a vehicle;", end=" ")
    print(", ".join(f"{kind} {count / hours:.0f} ({ledger.bytes[kind] / hours / 1e6:.2f} MB)" for kind, count in ledger.messages.most_common(4)))
    print(f"samples  {ledger.samples / seconds:.0f}/s, {ledger.samples / seconds / options.vehicles:.2f} of a vehicle")
    for name, delays in (("records", sorted(ledger.record_delays)), ("live", sorted(ledger.live_delays))):
        figures = ", ".join(f"{word} {rank(delays, share) * 1000:.0f} ms" for word, share in (("median", 0.5), ("99 %", 0.99), ("worst", 1)))
        print(f"{name:8} {len(delays)}, late by: {figures}", flush=True)


def verdict(options, ledger, vehicles, online):
    """Tells what is missing; whether nothing is."""
    _, _, numbered, waiting, dropped = vehicles.progress
    missing, late = ledger.total("missing"), ledger.total("late")
    # What was numbered after the last one that came leaves no gap. The last ones may have come and still wait for the
    # acknowledgement, for which an agent that ends does not stay.
    ends = max(0, numbered - dropped - missing - ledger.records)
    print(f"counted  {numbered} records numbered, {ledger.records} came, {ledger.total('twice')} of them again,", end=" ")
    print(f"{late} out of order; {missing} missing between others, {ends} at the end, where {waiting} were not acknowledged;", end=" ")
    print(f"{dropped} dropped; {online} of {options.vehicles} online before the end", flush=True)
    ends = max(0, ends - waiting)
    return online == options.vehicles and ledger.records > 0 and not (missing or ends or late or dropped)
