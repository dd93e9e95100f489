#!/usr/bin/env -S python3 -B
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Measures the agent beside others, in turn, each with a simulated vehicle and a link of its own.

The others: python-OBD with paho-mqtt, and a program in C that does the least that can be done. Everybody reads the same
twenty parameters as fast as the link lets him and publishes them to one Mosquitto; the agent keeps records besides.
What counts is ratios: the machine's own speed is in every figure. Limits are in LIMITS.
"""

import argparse
import asyncio
import json
import os
import pathlib
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "Trials/Chaos"))

from parameters import NAMES  # noqa: E402
from programs import Died, Program, beside, broker_words, free_port, listens, run_to_the_end  # noqa: E402
from subscriber import Subscriber  # noqa: E402

LINK = "ble-30"
# Samples a second that the link can carry: six PIDs in a request that takes two connection events of 30 ms.
BOUND = 100
# Seconds until somebody reads as fast as he ever will: the agent tries out first what the adapter can do.
WARM = {"obd-agent": 45, "python-OBD": 6, "C": 4}
PATIENCE = 60
COLUMNS = ["samples/s", "CPU s/1000", "wake-ups/sample", "RSS MB", "RssAnon MB", "first s"]
# Of the medians: what it is, its value, and the most it may be.
LIMITS = [
    ("CPU beside python-OBD", lambda of: of("obd-agent", 1) / of("python-OBD", 1), 1 / 9),
    ("CPU beside C", lambda of: of("obd-agent", 1) / of("C", 1), 2.5),
    ("first sample beside C", lambda of: of("obd-agent", 5) / of("C", 5), 1.15),
    ("what of the link is not used", lambda of: 1 - of("obd-agent", 0) / BOUND, 0.05),
    ("MB resident", lambda of: of("obd-agent", 3), 20),
    ("MB anonymous", lambda of: of("obd-agent", 4), 6),
]
TICK = os.sysconf("SC_CLK_TCK")




def usage(pid):
    """CPU seconds and the waits that ended, of all threads of a process."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    switches = 0
    for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
        words = (thread / "status").read_text()
        switches += int(words.partition("\nvoluntary_ctxt_switches:")[2].split()[0])
    return (int(fields[11]) + int(fields[12])) / TICK, switches


def memory(pid):
    """Resident megabytes, all and anonymous."""
    words = pathlib.Path(f"/proc/{pid}/status").read_text()
    return [int(words.partition(f"\n{name}:")[2].split()[0]) / 1024 for name in ("VmRSS", "RssAnon")]


def agent_words(binary, directory, device, port):
    text = ["[vehicle]", 'name = "van"', "[adapter]", f'address = "serial:{device}?baud=115200"', "[mqtt]"]
    text += [f'url = "mqtt://127.0.0.1:{port}"', "[parameters]"] + [f"{name} = 0.05" for name in NAMES.values()]
    text += ["[clock]", 'trust = "system"', "[store]", f'directory = "{directory}/store"', ""]
    (directory / "store").mkdir()
    (directory / "agent.toml").write_text("\n".join(text))
    return [binary, "run", "--config", f"{directory}/agent.toml"]


def telemetry(messages):
    """How many samples the records hold."""
    return sum(len(one["dt"]) for *_, payload in messages for one in json.loads(payload)["series"].values())


def is_sample(topic):
    return topic.startswith("peer/") or "/parameters/" in topic


async def terminal(log):
    """The pseudo terminal that the simulator has told."""
    for _ in range(200):
        for word in pathlib.Path(log).read_text().split():
            if word.startswith("serial:"):
                return word.removeprefix("serial:")
        await asyncio.sleep(0.05)
    raise Died(f"{log} tells no terminal")


async def measure(name, chosen, directory):
    directory.mkdir()
    port = free_port()
    (directory / "mosquitto.conf").write_text(broker_words(port))
    broker = Program(["mosquitto", "-c", f"{directory}/mosquitto.conf"], f"{directory}/broker.log")
    vehicle = Program(
        [beside(chosen.binary, "obd-simulator"), "--pty", "--ecus", "1", "--link", LINK, "--trip", "86400"],
        f"{directory}/vehicle.log",
    )
    client = Program(lambda: words, f"{directory}/client.log")
    subscriber = None
    try:
        broker.start()
        vehicle.start()
        await listens(port)
        device = await terminal(vehicle.log)
        words = {
            "obd-agent": lambda: agent_words(chosen.binary, directory, device, port),
            "python-OBD": lambda: [chosen.python, "-B", f"{HERE}/python_obd.py", device, f"{port}"],
            "C": lambda: [chosen.bare, device, f"{port}"],
        }[name]()
        subscriber = Subscriber(port, ["#"])
        began = time.time()
        client.start()
        first = await message(client, subscriber, is_sample) - began
        await asyncio.sleep(WARM[name])
        # The agent's samples are counted by its records: from one to another.
        counts = (lambda topic: topic.endswith("/telemetry")) if name == "obd-agent" else is_sample
        start = await message(client, subscriber, counts)
        cpu, switches = usage(client.process.pid)
        await asyncio.sleep(chosen.seconds)
        took = await message(client, subscriber, counts) - start
        cpu_after, switches_after = usage(client.process.pid)
        # Without the first: what is in it was read before.
        messages = [one for one in list(subscriber.messages) if start < one[0] <= start + took and counts(one[2])]
        samples = telemetry(messages) if name == "obd-agent" else len(messages)
        if not samples:
            raise Died(f"{name} publishes nothing; see {client.log}")
        return [
            samples / took, (cpu_after - cpu) * 1000 / samples, (switches_after - switches) / samples,
            *memory(client.process.pid), first,
        ]
    finally:
        if subscriber:
            subscriber.close()
        for program in (client, vehicle, broker):
            program.kill()


async def message(client, subscriber, counts):
    """When the next message comes on a topic that counts."""
    deadline, seen = time.monotonic() + PATIENCE, len(subscriber.messages)
    while time.monotonic() < deadline:
        client.check()
        for when, _, topic, _ in subscriber.messages[seen:]:
            if counts(topic):
                return when
        await asyncio.sleep(0.01)
    raise Died(f"nothing in {PATIENCE} s; see {client.log}")


async def run(chosen, directory):
    rows = {name: [] for name in WARM}
    for number in range(chosen.runs):
        for name in rows:
            print(f"run {number + 1} of {chosen.runs}: {name}", file=sys.stderr, flush=True)
            rows[name].append(await measure(name, chosen, pathlib.Path(directory) / f"{name}-{number}"))
    medians = {name: [statistics.median(column) for column in zip(*runs)] for name, runs in rows.items()}
    print(f"{LINK}, {len(NAMES)} parameters, medians of {chosen.runs} runs of {chosen.seconds} s")
    print(f"{'':12}" + "".join(f"{column:>17}" for column in COLUMNS))
    for name, values in medians.items():
        print(f"{name:12}" + "".join(f"{value:17.3f}" for value in values))
    is_fine = True
    for what, value, most in LIMITS:
        value = value(lambda name, column: medians[name][column])
        is_fine &= value <= most
        print(f"{'ok  ' if value <= most else 'FAIL'} {what}: {value:.3f}, at most {most:.3f}")
    return is_fine


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("bare", help="the program in C")
    parser.add_argument("--python", default=sys.executable, help="one that has python-OBD and paho-mqtt")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--keep", help="leave what the programs wrote in this folder")
    run_to_the_end("peers", run, parser.parse_args(), "the machine may be too busy")


if __name__ == "__main__":
    main()
