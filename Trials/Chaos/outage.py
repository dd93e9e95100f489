#!/usr/bin/env -S python3 -B
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Sends five million samples that were stored during an outage, while the vehicle drives on.

The program as it is shipped makes its database; samples of an earlier boot are put into it, as the agent
stores them with its defaults; then the broker comes back. How fast the backlog goes, how late live values are
meanwhile, and how much memory the agent takes, are measured and have their limits.
"""

import argparse
import asyncio
import datetime
import json
import pathlib
import shutil
import sqlite3
import sys
import tempfile
import time

from programs import Died, Program, beside, broker_words, free_port, listens, prepare
from subscriber import Subscriber

# So many that there is time for live values meanwhile.
SAMPLES = 5_000_000
# Eight parameters, some five samples a second, ten seconds: a record of an agent that runs with its defaults.
SERIES = ["engine_speed", "vehicle_speed", "engine_load", "throttle_position"]
LENGTH = 13
EPOCH = 1
# Read less often than a live value may be published, so that each is published at once.
LIVE = [
    "engine_speed", "engine_load", "throttle_position", "mass_air_flow", "timing_advance", "intake_manifold_pressure",
    "vehicle_speed", "commanded_throttle_actuator", "fuel_rate", "short_term_fuel_trim_bank_1", "absolute_load",
    "demanded_torque", "actual_torque", "accelerator_pedal_position_d", "relative_throttle_position",
]
LEAST_RATE, LONGEST_DELAY, MOST_MEMORY = 20_000, 250, 30


def fill(path):
    """Puts the backlog into the database that the agent has made."""
    database = sqlite3.connect(path)
    epoch = database.execute("SELECT value FROM meta WHERE name = 'epoch'").fetchone()[0]
    database.execute("INSERT INTO boots (boot, started, trusted) VALUES ('outage', ?, 1)", (1_790_000_000_000,))
    boot = database.execute("SELECT id FROM boots WHERE boot = 'outage'").fetchone()[0]
    series = {"ecu": "7E8", "scale": 0.25, "dt": [480] * LENGTH, "dv": [12, -4] * (LENGTH // 2) + [3250]}
    body = json.dumps({"series": {name: series for name in SERIES}, "v": 1}, separators=(",", ":")).encode()
    count = -(-SAMPLES // (LENGTH * len(SERIES)))
    first = database.execute("SELECT coalesce(max(id), 0) FROM telemetry").fetchone()[0]
    base = max(first, epoch << 30)
    database.executemany(
        "INSERT INTO telemetry (id, boot, at, vehicle, body, precious) VALUES (?, ?, ?, 'van', ?, 0)",
        ((base + number, boot, number * 10_000, body) for number in range(1, count + 1)),
    )
    database.commit()
    database.close()
    return count


async def run(binary, directory):
    directory = pathlib.Path(directory)
    port, vehicle_port = free_port(), 0
    (directory / "mosquitto.conf").write_text(broker_words(port) + "max_queued_messages 0\n")
    broker = Program(["mosquitto", "-c", f"{directory}/mosquitto.conf"], f"{directory}/broker.log")
    simulator = beside(binary, "obd-simulator")
    vehicle = Program(lambda: [simulator, "--tcp", f"127.0.0.1:{vehicle_port}"], f"{directory}/vehicle.log")
    agent = Program([binary, "run", "--config", f"{directory}/agent.toml"], f"{directory}/agent.log")
    lines = ["[vehicle]", 'name = "van"', "[adapter]", 'address = "tcp:127.0.0.1:{}"', "[mqtt]"]
    lines += [f'url = "mqtt://127.0.0.1:{port}"', "[parameters]"] + [f"{name} = 1.5" for name in LIVE]
    lines += ["[clock]", 'trust = "system"', "[store]", f'directory = "{directory}"']
    try:
        vehicle_port = free_port()
        (directory / "agent.toml").write_text("\n".join(lines).format(vehicle_port) + "\n")
        vehicle.start()
        await listens(vehicle_port)
        agent.start()
        await asyncio.sleep(3)
        await agent.stop()
        count = fill(directory / "obd-agent.db")
        agent.start()
        # Until the vehicle is known, and the start's own work is done.
        await asyncio.sleep(15)
        broker.start()
        await listens(port)
        return await measure(agent, Subscriber(port, ["obd/van/#"]), count)
    finally:
        for program in (agent, vehicle, broker):
            program.kill()


async def measure(agent, subscriber, count):
    memory, done, seen, deadline = 0, 0, 0, time.monotonic() + 180
    while time.monotonic() < deadline:
        agent.check()
        memory = max(memory, resident(agent.process.pid))
        done += sum(is_backlog(*message[2:]) for message in subscriber.messages[seen:])
        seen = len(subscriber.messages)
        if done >= count:
            break
        await asyncio.sleep(0.2)
    subscriber.close()
    return verdict(subscriber.messages, count, memory)


def live_delays(messages, begin, end):
    """How late live values were between two moments, in milliseconds.

    A topic speaks once a second at most: a value that was read sooner waits by design, and does not count.
    """
    before = {}
    for at, retained, topic, payload in messages:
        if not topic.startswith("obd/van/parameters/") or retained:
            continue
        text = json.loads(payload)["time"].replace("Z", "+00:00")
        read = datetime.datetime.fromisoformat(text).timestamp()
        if begin < at <= end and read >= before.get(topic, begin) + 1:
            yield (at - read) * 1000
        before[topic] = at


def is_backlog(topic, payload):
    return topic == "obd/van/telemetry" and b'"boot":"outage"' in payload


def resident(process):
    """MiB that a process has in memory."""
    text = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) / 1024


def verdict(messages, count, memory):
    backlog = [at for at, _, topic, payload in messages if is_backlog(topic, payload)]
    seconds = (backlog[-1] - backlog[0]) if len(backlog) > 1 else 0
    rate = len(backlog) * LENGTH * len(SERIES) / seconds if seconds else 0
    delays = sorted(live_delays(messages, backlog[0], backlog[-1])) if backlog else []
    late = delays[len(delays) * 99 // 100] if delays else 0
    print(f"backlog  {len(backlog)} of {count} records, in {seconds:.1f} s: {rate:.0f} samples/s")
    middle = delays[len(delays) // 2] if delays else 0
    print(f"live     {len(delays)} values meanwhile; delay: median {middle:.0f} ms,", end=" ")
    print(f"99 % {late:.0f} ms, worst {delays[-1] if delays else 0:.0f} ms")
    print(f"memory   {memory:.1f} MiB resident at most")
    return (
        len(backlog) == count and rate >= LEAST_RATE and delays and late < LONGEST_DELAY and memory < MOST_MEMORY
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    binary = str(pathlib.Path(parser.parse_args().binary).resolve())
    prepare()
    directory = tempfile.mkdtemp(prefix="outage-")
    is_fine = False
    try:
        is_fine = asyncio.run(run(binary, directory))
    except Died as error:
        print(f"outage: {error}", file=sys.stderr)
    finally:
        if is_fine:
            shutil.rmtree(directory)
        else:
            print(f"outage: failed; what there was is in {directory}", file=sys.stderr)
    sys.exit(0 if is_fine else 1)


main()
