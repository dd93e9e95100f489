# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Messages on mutated topics, to the agent and to whoever looks at vehicles from far away."""

import asyncio
import subprocess
import time

from keys import claims
from outside import Mosquitto, printable
from victim import Victim

COUNT, RETAINED = 3000, 1500
PIECES = [
    b"",
    b"/",
    b"//",
    b"obd",
    b"OBD",
    b"van",
    b"commands",
    b"Commands",
    b"responses",
    b"status",
    b"parameters",
    b"engine_speed",
    b"vehicle",
    b"codes",
    b"..",
    b"%2f",
    b"\xc3\xa9",
    b"e\xcc\x81",
    b"\xe2\x80\xae",
    b"\xc2\x9b",
    b"\x1b[31m",
    b" ",
    b"x" * 300,
    b"+",
    b"#",
    b"$share",
    b"homeassistant",
    b"agent-0",
    b"availability",
    b"telemetry",
    b"zlib",
    b"finding",
    b"monitors",
]


def mutated(dice, topic):
    """The topic with a level or a few letters of it changed; never as it was."""
    result = topic
    while result == topic:
        levels = result.split(b"/")
        for _ in range(dice.choice((1, 1, 2, 3))):
            place = dice.randrange(len(levels))
            match dice.randrange(4):
                case 0:
                    levels[place] = dice.choice(PIECES)
                case 1:
                    levels.insert(place, dice.choice(PIECES))
                case 2:
                    levels[place] += dice.choice(PIECES)
                case 3 if len(levels) > 1:
                    del levels[place]
        result = b"/".join(levels)
    return result


async def play(arena):
    await listened(arena)
    await asyncio.to_thread(looked_at, arena)


async def listened(arena):
    victim = Victim(
        arena,
        "agent",
        simulate=("--trip", "1", "--pause", "86400", "--codes", "P0301", "--obeys-control"),
        parking=["after_seconds = 86400"],
    )
    async with victim:
        await victim.connected()
        payloads = [
            victim.command("mutated", "run_test", {"test": "01", "data": "F000000001"}, aud="car"),
            victim.keys.sign(
                claims("mutated", time.time(), "clear_codes", {"confirm": "all"}), key=victim.keys.stranger
            ),
            b'{"id":"mutated","command":"clear_codes"}',
            b"online",
            b"offline",
            b"",
            b"\xff",
        ]
        done = 0
        for number in range(COUNT):
            topic = mutated(arena.dice, b"obd/van/commands").decode()
            # The client drops the connection for these: brokers.py has them.
            if not topic or set("+#\x1b\x9b") & set(topic):
                continue
            victim.broker.deliver(arena.dice.choice(payloads), topic=topic)
            done += 1
            if number % 20 == 0:
                await victim.broker.flush()
                await asyncio.sleep(0.01)
        reason = await victim.obeys("after", "describe")
        count = sum(data[0] in (0x44, 0x48) for _, _, data in victim.served())
        arena.row(
            "TOPICS",
            f"{done} messages on mutated topics",
            "none is obeyed; the owner's is; 1 connection",
            f"{count} obeyed, the owner's: {reason}; {victim.broker.connections} connections",
            count == 0 and reason == "succeeded" and victim.broker.connections == 1,
        )


def looked_at(arena):
    """Retained messages on mutated topics, with payloads of other topics."""
    bases = [
        b"obd/van/status",
        b"obd/van/vehicle",
        b"obd/van/codes",
        b"obd/van/parameters/engine_speed",
        b"obd/van/availability",
        b"obd/van/finding",
        b"obd/van/monitors",
    ]
    payloads = [
        b"online",
        b"offline",
        b"",
        b"{}",
        b"[]",
        b"null",
        b'{"v":1}',
        b'{"v":1,"codes":[{"code":"P0301","ecu":"7E8","states":["stored"]}]}',
        b"\xff\xfe",
        b'{"v":1e999}',
        b'{"value":1,"unit":"rpm","time":"2026-11-24T00:00:00Z","ecu":"7E8"}',
        b'{"value":-0,"unit":"\\u001b[2J"}',
        b"{" * 5000,
    ]
    with Mosquitto(arena.directory) as broker:
        client = broker.client()
        for _ in range(RETAINED):
            topic = mutated(arena.dice, arena.dice.choice(bases))
            if topic and b"+" not in topic and b"#" not in topic and len(topic) < 1000:
                client.publish(topic.decode(), arena.dice.choice(payloads), qos=1, retain=True)
        broker.settle(client)
        for words in (
            ["list"],
            ["list", "--json"],
            ["watch", "--vehicle", "van", "--for", "3s"],
            ["codes", "--last", "--vehicle", "van"],
            ["finding", "--vehicle", "van"],
        ):
            done = subprocess.run(
                [arena.remote, *words, "--broker", broker.url, "--timeout", "5s"],
                capture_output=True,
                timeout=60,
                stdin=subprocess.DEVNULL,
            )
            odd = printable(done.stdout + done.stderr)
            arena.row(
                "TOPICS",
                f"obd-remote {' '.join(words)} with {RETAINED} retained messages on mutated topics",
                "ends by itself; prints no control characters",
                f"exit status {done.returncode}; {odd or 'none'}",
                done.returncode in (0, 64, 69, 75) and not odd,
            )
