# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A cluster of two nodes: what works across them, and what is lost when the one with all the vehicles is killed."""

import asyncio
import json
import pathlib
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Chaos"))

from across import across, order
from consumer import Consumer
from ejabberd import Cluster, home
from failover import killed
from ledger import Ledger
from load import RECORDS, everybody, quiet, verdict
from vehicles import Usage, Vehicles


async def run(options, directory):
    if not home():
        print("skipped: ejabberd is not installed; on Debian: apt-get install ejabberd, and systemctl disable --now ejabberd epmd")
        return True
    cluster, ledger = Cluster(directory), Ledger()
    first, second = cluster.nodes
    # All of them are on the first node, and who listens is on the other.
    vehicles = Vehicles(options, directory, [node.url for node in cluster.nodes])
    consumers = []
    try:
        await cluster.start()
        consumers.append(Consumer("second", second.port, ledger.hear, RECORDS, "archive"))
        await asyncio.to_thread(consumers[0].subscribed.wait, 10)
        began = time.time()
        vehicles.start()
        await everybody(options, vehicles, ledger, began, "second")
        print(f"{options.vehicles} vehicles on the first node, heard on the second", flush=True)
        usage = [Usage([node.process.pid]) for node in cluster.nodes]
        await asyncio.sleep(options.seconds / 3)
        for node, used in zip(cluster.nodes, usage):
            print(f"{node.name:8} {used.share:.0f} % of a core, {used.memory[0] / 1024:.0f} MiB")
        for node in cluster.nodes:
            await retained(node, options)
        await commands(second, options)
        is_fine = await killed(options, ledger, first, second, heard="second")
        for node in cluster.nodes:
            await retained(node, options)
        await commands(first, options)
        is_fine &= await across(cluster, options, directory)
        # They tell of themselves every ten seconds.
        await asyncio.sleep(12)
        online = vehicles.progress[1]
        await vehicles.stop(60)
        await quiet(consumers)
        is_whole = verdict(options, ledger, vehicles, online)
        if not is_whole:
            print("cluster  what the killed node had acknowledged and not yet handed on is what is missing", flush=True)
        # Everything that is missing was on its way through the node that was killed.
        return is_fine and online == options.vehicles and ledger.total("missing") <= options.vehicles
    finally:
        for consumer in consumers:
            consumer.close()
        vehicles.kill()
        cluster.kill()


async def retained(node, options):
    """How much of what is retained somebody gets who comes now."""
    found = set()
    consumer = Consumer(node.name, node.port, lambda broker, at, topic, payload, is_retained, size: found.add(topic), ["obd/+/vehicle"], "late", qos=0)
    await asyncio.sleep(3)
    consumer.close()
    named = sum("/agent-" not in topic for topic in found)
    print(f"retained {node.name}: the topic vehicle of {named} of {options.vehicles} vehicles", flush=True)


async def commands(node, options):
    """Asks the first ten vehicles for something, by one node, and hears the answers there."""
    answers = set()

    def hear(broker, at, topic, payload, is_retained, size):
        answer = json.loads(payload)
        if answer["state"] == "succeeded" and answer["id"].startswith(f"{node.name}-"):
            answers.add(topic)

    asker = Consumer(node.name, node.port, hear, ["obd/+/responses"], f"asker-{node.name}")
    await asyncio.to_thread(asker.subscribed.wait, 10)
    vehicles = [f"ZZZSMVLATR4{100_000 + number}" for number in range(1, min(10, options.vehicles) + 1)]
    for number, vehicle in enumerate(vehicles, 1):
        asker.publish(f"obd/{vehicle}/commands", order(f"{node.name}-{number}"), number)
    deadline = time.monotonic() + 20
    while len(answers) < len(vehicles) and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
    asker.close()
    print(f"commands by the {node.name} node: {len(answers)} of {len(vehicles)} answered", flush=True)
