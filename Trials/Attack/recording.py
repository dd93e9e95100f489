# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""H4: recording under hostile brokers. Each broker has an agent of its own, which is restarted as systemd does."""

import asyncio
import contextlib
import json
import os
import pathlib
import subprocess
import time

import mqtt
import truth
from broker import PINGREQ, SUBACK, SUBSCRIBE, packet
from victim import Broker, Victim

# The length of each attack, and the delay of a restart, in seconds.
SECONDS, RESTART = 25, 2
# The unit's limit, in MiB.
MEMORY = 256
# The longest time without a reading in seconds: a restart, and the vehicle is known again.
LONGEST_GAP = 10
HUGE = 200 << 20
PARAMETERS = {"run_time", "distance_with_mil"}
# A property that no version of MQTT has.
UNKNOWN = b"\x02\x7f\x00"


class Odd(Broker):
    """Attacks by `way`, a function of broker, packet type, body and writer that returns whether it has answered."""

    def __init__(self, way, level=5):
        super().__init__(level)
        self.way = way
        self.tasks = set()

    def receive(self, kind, flags, body, writer):
        if not self.way(self, kind, body, writer):
            super().receive(kind, flags, body, writer)

    def go_on(self, work):
        task = asyncio.create_task(quiet(work))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def close(self):
        for task in list(self.tasks):
            task.cancel()
        await super().close()


async def quiet(work):
    with contextlib.suppress(ConnectionError):
        await work


def answering(kind, answer):
    """Answers one kind of packet as told."""

    def way(broker, got, body, writer):
        if got == kind:
            writer.write(answer(body))
        return got == kind

    return way


def then(work):
    """Takes the subscription, then goes on with some work of its own."""

    def way(broker, kind, body, writer):
        if kind == SUBSCRIBE:
            broker.go_on(work(writer))
        return False

    return way


async def huge(writer):
    """One message of 200 MiB, a piece at a time."""
    # The head of what is not there yet.
    writer.write(packet(mqtt.PUBLISH, 0, bytes(HUGE))[:-HUGE] + b"\x00\x10obd/van/commands\x00")
    for _ in range(HUGE >> 16):
        if writer.is_closing():
            break
        writer.write(bytes(1 << 16))
        await writer.drain()


async def flood(writer):
    body = b"\x00\x10obd/van/commands\x00{"
    while not writer.is_closing():
        writer.write(packet(mqtt.PUBLISH, 0, body) * 500)
        await writer.drain()


async def odd_message(writer):
    writer.write(packet(mqtt.PUBLISH, 0, b"\x00\x10obd/van/commands" + UNKNOWN + b"{}"))


async def odd_goodbye(writer):
    writer.write(packet(mqtt.DISCONNECT, 0, b"\x00" + UNKNOWN))


def silent(broker, kind, body, writer):
    return True


def half_closed(broker, kind, body, writer):
    if kind == mqtt.CONNECT:
        writer.write(packet(mqtt.CONNACK, 0, b"\x00\x00\x00"))
        writer.write_eof()
    return True


def deaf(broker, kind, body, writer):
    """Reads nothing any more."""
    if kind == SUBSCRIBE:
        writer.write(packet(SUBACK, 0, body[:2] + b"\x00\x01"))
        writer.transport.pause_reading()
        return True
    return False


def cut(broker, kind, body, writer):
    if kind == mqtt.CONNECT:
        writer.transport.abort()
    return True


WAYS = {
    "an unknown property in CONNACK": answering(
        mqtt.CONNECT, lambda body: packet(mqtt.CONNACK, 0, b"\x00\x00" + UNKNOWN)
    ),
    "an unknown property in SUBACK": answering(SUBSCRIBE, lambda body: packet(SUBACK, 0, body[:2] + UNKNOWN + b"\x01")),
    "an unknown property in PUBLISH": then(odd_message),
    "an unknown property in DISCONNECT": then(odd_goodbye),
    "an unknown property in PUBACK": lambda broker, kind, body, writer: kind == mqtt.PUBLISH
    and not writer.write(packet(mqtt.PUBACK, 0, packet_id(body) + b"\x00" + UNKNOWN)),
    "one PUBLISH of 200 MiB": then(huge),
    "a flood of PUBLISH": then(flood),
    "no CONNACK": silent,
    "half-closed behind CONNACK": half_closed,
    "it reads no more": deaf,
    "reset at CONNECT": cut,
    "no PINGRESP": lambda broker, kind, body, writer: kind == PINGREQ,
}


def packet_id(body):
    end = 2 + int.from_bytes(body[:2], "big")
    return body[end : end + 2]


async def play(arena):
    await asyncio.gather(*(recorded(arena, number, name, way) for number, (name, way) in enumerate(WAYS.items())))


async def recorded(arena, number, name, way):
    victim = Victim(
        arena,
        f"broker-{number}",
        simulate=("--trip", "86400", "--ramp", "1"),
        parameters=[f"{one} = 0.5" for one in sorted(PARAMETERS)],
        store=["batch_seconds = 0"],
    )
    victim.broker = Odd(way)
    async with victim:
        end, starts, memory = time.monotonic() + SECONDS, 1, 0
        while time.monotonic() < end:
            if not victim.is_alive:
                await asyncio.sleep(RESTART)
                victim.agent.start()
                starts += 1
            with contextlib.suppress(FileNotFoundError, ProcessLookupError, IndexError):
                memory = max(memory, resident(victim.agent.process.pid))
            await asyncio.sleep(0.05)
        if victim.is_alive:
            await victim.agent.stop()
        served = [
            (name, number, at)
            for name, number, at in truth.served(f"{victim.directory}/vehicle.served")
            if name in PARAMETERS
        ]
        kept = exported(victim)
    # A reply that was in flight at the agent's end is lost: at most one for each start.
    missing = [entry for entry in served if entry[:2] not in kept]
    times = sorted({at for _, _, at in served})
    gap = max((later - sooner for sooner, later in zip(times, times[1:])), default=SECONDS * 1000) / 1000
    lost = max(0, len(missing) - len(PARAMETERS) * starts) if served else 1
    arena.figure("recorded rows lost to brokers that abort, flood or hang", lost, 1, "rows")
    arena.row(
        "H4",
        f"a broker for {SECONDS} s: {name}",
        f"all rows kept, 1 restart at most, no {LONGEST_GAP} s without a reading, {MEMORY} MiB",
        f"{len(served) - len(missing)} of {len(served)} rows, {starts - 1} restarts, {gap:.1f} s, {memory:.0f} MiB",
        served and len(missing) <= len(PARAMETERS) * starts and starts <= 2 and gap < LONGEST_GAP and memory < MEMORY,
    )


def exported(victim):
    """The recorded samples: parameter and value."""
    words = [victim.binary, "export", "--config", str(victim.configuration), "--format", "jsonl"]
    text = subprocess.run(words, capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL).stdout
    return {(row["parameter"], round(row["value"])) for row in map(json.loads, text.splitlines())}


def resident(process):
    """The memory of a process and its children, in MiB."""
    pages = int(pathlib.Path(f"/proc/{process}/statm").read_text().split()[1])
    children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20) + sum(resident(child) for child in children)
