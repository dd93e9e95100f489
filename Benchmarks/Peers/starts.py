#!/usr/bin/env -S python3 -B
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Measures the agent's first minute, and how soon it has values again after a lost link and after a start.

One simulated vehicle behind an adapter that keeps its power, over a link of --link; twenty parameters as fast as that
carries them. Times are those of the samples in the agent's own records. What an agent without `obd-agent.adapter` needs
for a start, as every start before there was that file, stands beside it.
"""

import argparse
import asyncio
import datetime
import json
import pathlib
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "Trials/Chaos"), str(HERE.parents[1] / "Trials/Collect")]

from parameters import NAMES  # noqa: E402
from programs import Died, Program, beside, broker_words, free_port, listens, run_to_the_end  # noqa: E402
from subscriber import Subscriber  # noqa: E402
from wire import Wire  # noqa: E402

# Seconds of the first run: its first minute, and then one to compare it with, when all about the adapter is known.
FIRST, STEADY = 60, 60
# Seconds of polling between two breaks: a link that has lasted for 10 s is opened again at once.
PAUSE = 14
PATIENCE = 60
# The most seconds from a break to the next value, as a median.
LIMITS = {"a lost link": 0.5, "a start": 0.5}
# The least share of the next minute's rate that the first one has, from its second second on.
SHARE = 0.95
# The most memory from the first second on, in MB resident.
MEMORY = 20


class Samples:
    """The times of all samples of the parameters, by the agent's records.

    The adapter's own voltage is none: it needs no vehicle.
    """

    NAMES = frozenset(NAMES.values())

    def __init__(self, port):
        self.subscriber = Subscriber(port, ["+/+/telemetry"])
        self.seen, self.times = 0, []

    def read(self):
        messages = self.subscriber.messages
        while self.seen < len(messages):
            record = json.loads(messages[self.seen][3])
            self.seen += 1
            start = datetime.datetime.fromisoformat(record["t0"]).timestamp()
            for name, series in record["series"].items():
                if name not in self.NAMES:
                    continue
                at = 0
                for dt in series["dt"]:
                    at += dt
                    self.times.append(start + at / 1000)
        self.times.sort()
        return self.times

    async def after(self, moment, agent):
        """The time of the first sample after a moment, once records have told it for sure."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            agent.check()
            later = [one for one in self.read() if one > moment]
            # Records come in order: what came later than this one has told everything before it.
            if later and later[-1] > later[0] + 3:
                return later[0]
            await asyncio.sleep(0.2)
        raise Died(f"no sample in {PATIENCE} s")


async def most_resident(pid, seconds):
    """The largest resident set from the first second on, in MB."""
    await asyncio.sleep(1)
    most, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        words = pathlib.Path(f"/proc/{pid}/status").read_text()
        most = max(most, int(words.partition("\nVmRSS:")[2].split()[0]) / 1024)
        await asyncio.sleep(0.1)
    return most


async def first_minute(agent, samples):
    began = time.time()
    agent.start()
    memory = asyncio.create_task(most_resident(agent.process.pid, FIRST))
    first = await samples.after(began, agent)
    await asyncio.sleep(FIRST + STEADY - (time.time() - first) + 5)
    times = [one - first for one in samples.read() if one >= first]
    early = [one for one in times if 1 <= one < FIRST]
    counts = [sum(1 for one in times if second <= one < second + 1) for second in range(FIRST + STEADY)]
    # A trial of the adapter may take some seconds of the second minute.
    rate, usual, seconds = len(early) / (FIRST - 1), statistics.median(counts[FIRST:]), counts[1:FIRST]
    gap = max(b - a for a, b in zip(times, times[1:]) if a < FIRST)
    print(f"first value      {first - began:.2f} s after the start of the process, which nothing knew of the adapter")
    print(f"first minute     {rate:.1f} samples/s from the second second on, {rate / usual:.0%} of the {usual:.1f} that the next one has")
    print(f"                 the slowest second {min(seconds)} samples, the longest time without any {gap:.2f} s")
    most = await memory
    print(f"peak memory      {most:.1f} MB resident, from the first second on", flush=True)
    return rate / usual, most


async def lost_links(agent, samples, wire, runs):
    took = []
    for _ in range(runs):
        moment = time.time()
        wire.cut()
        took.append(await samples.after(moment, agent) - moment)
        await asyncio.sleep(PAUSE)
    return took


async def starts(agent, samples, wire, runs, forget):
    """From the link to the first value, and from the start of the process."""
    links, processes = [], []
    for _ in range(runs):
        await agent.stop()
        forget()
        opened = asyncio.create_task(opening(wire))
        moment = time.time()
        agent.start()
        first = await samples.after(moment, agent)
        links.append(first - await opened)
        processes.append(first - moment)
        await asyncio.sleep(4)
    return links, processes


async def opening(wire):
    """When the next connection to the adapter is open."""
    before = wire.connected
    while wire.connected == before:
        await asyncio.sleep(0.001)
    return time.time() - (time.monotonic() - wire.connected)


def told(name, seconds):
    median = statistics.median(seconds)
    print(f"{name:45}{median:6.2f} s, from {min(seconds):.2f} to {max(seconds):.2f}", flush=True)
    return median


async def run(chosen, directory):
    directory = pathlib.Path(directory)
    (directory / "store").mkdir()
    port, adapter = free_port(), free_port()
    (directory / "mosquitto.conf").write_text(broker_words(port))
    wire = Wire(adapter)
    address = f"tcp:127.0.0.1:{await wire.start()}"
    broker = Program(["mosquitto", "-c", f"{directory}/mosquitto.conf"], f"{directory}/broker.log")
    words = [beside(chosen.binary, "obd-simulator"), "--tcp", f"127.0.0.1:{adapter}", "--link", chosen.link]
    vehicle = Program([*words, "--keeps-power", "--trip", "86400"], f"{directory}/vehicle.log")
    text = ["[vehicle]", 'name = "van"', "[adapter]", f'address = "{address}"', "[mqtt]"]
    text += [f'url = "mqtt://127.0.0.1:{port}"', "[parameters]"] + [f"{name} = 0.05" for name in NAMES.values()]
    text += ["[clock]", 'trust = "system"', "[uplink]", "batch_seconds = 1"]
    text += ["[store]", f'directory = "{directory}/store"', ""]
    (directory / "agent.toml").write_text("\n".join(text))
    agent = Program([chosen.binary, "run", "--config", f"{directory}/agent.toml"], f"{directory}/agent.log")
    try:
        broker.start()
        vehicle.start()
        await listens(port)
        await listens(adapter)
        samples = Samples(port)
        print(f"{chosen.link}, {len(NAMES)} parameters; medians of {chosen.runs}")
        share, memory = await first_minute(agent, samples)
        known = directory / "store/obd-agent.adapter"
        losses = told("a lost link: until the next value", await lost_links(agent, samples, wire, chosen.runs))
        links, processes = await starts(agent, samples, wire, chosen.runs, lambda: None)
        start = told("a start: from the link to the first value", links)
        told("a start: from that of the process", processes)
        links, processes = await starts(agent, samples, wire, chosen.runs, lambda: known.unlink(missing_ok=True))
        told("nothing known: from the link", links)
        told("nothing known: from that of the process", processes)
    finally:
        for program in (agent, vehicle, broker):
            program.kill()
    is_fine = share >= SHARE
    print(f"{'ok  ' if is_fine else 'FAIL'} the first minute: {share:.0%} of the next one, at least {SHARE:.0%}")
    is_fine &= memory <= MEMORY
    print(f"{'ok  ' if memory <= MEMORY else 'FAIL'} peak memory: {memory:.1f} MB, at most {MEMORY}")
    for (what, most), value in zip(LIMITS.items(), (losses, start)):
        is_fine &= value <= most
        print(f"{'ok  ' if value <= most else 'FAIL'} {what}: {value:.2f} s, at most {most:.2f}")
    return is_fine


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--link", default="ble-30")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--keep", help="leave what the programs wrote in this folder")
    run_to_the_end("starts", run, parser.parse_args(), "the machine may be too busy")


if __name__ == "__main__":
    main()
