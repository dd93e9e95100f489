# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Messages that expand, nest deeply or never end, received by remote watch and record; texts that a page might run."""

import asyncio
import concurrent.futures
import json
import time
import zlib

from outside import Mosquitto, printable, run

# The most memory of a command for people, in MiB, and how long it may go on beyond what it was asked for, in seconds.
MEMORY, LONGER = 200, 10
LENGTH = 4


def squeezed(size, around=(b"", b"")):
    """So many zeros, or what else there is much of, as small as they get."""
    packer = zlib.compressobj(9)
    parts = [packer.compress(around[0])]
    parts += [packer.compress(b"0" * (1 << 20)) for _ in range(size >> 20)]
    return b"".join([*parts, packer.compress(around[1]), packer.flush()])


RECORD = b'{"v":1,"agent":"a","epoch":1,"seq":1,"t0":"2026-11-24T00:00:00Z","series":{'
HEAD = RECORD + b'"engine_speed":{"ecu":"7E8","scale":0.25,'
WAYS = {
    "200 MB of zeros": [("telemetry/zlib", squeezed(200 << 20))],
    "a number of 200 MB": [("telemetry/zlib", squeezed(200 << 20, (HEAD + b'"dt":[1', b'],"dv":[1]}}}')))],
    "a bomb in a bomb": [("telemetry/zlib", zlib.compress(squeezed(200 << 20), 9))],
    "what is no zlib": [
        ("telemetry/zlib", b"\x78\x9c" + bytes(1000)),
        ("telemetry/zlib", b""),
        ("telemetry/zlib", b"\x78"),
    ],
    "a record that is cut off": [("telemetry/zlib", squeezed(1 << 20)[:-5])],
    "arrays that are 100,000 deep": [
        (topic, b"[" * 100_000) for topic in ("telemetry", "events", "status", "codes", "parameters/x", "responses")
    ],
    "the same, packed": [("telemetry/zlib", zlib.compress(b"[" * 10_000_000, 9))],
    "differences beyond all numbers": [
        (
            "telemetry",
            HEAD + b'"dt":[9223372036854775807,9223372036854775807],"dv":[9223372036854775807,9223372036854775807]}}}',
        ),
        ("telemetry", HEAD + b'"dt":[1e308,1e308],"dv":[1e308,1e308]}}}'),
        ("telemetry", HEAD + b'"dt":[-9223372036854775808,-1],"dv":[1]}}}'),
    ],
    "200,000 series": [
        (
            "telemetry/zlib",
            zlib.compress(
                RECORD
                + b",".join(b'"p%d":{"ecu":"7E8","scale":1,"dt":[1],"dv":[1]}' % number for number in range(200_000))
                + b"}}",
                9,
            ),
        )
    ],
    "numbers of records that wrap": [
        (
            "events",
            json.dumps(
                {"v": 1, "agent": "a", "epoch": epoch, "seq": seq, "time": "2026-11-24T00:00:00Z", "event": "connected"}
            ).encode(),
        )
        for epoch in (0, 1, 2**63 - 1, 2**64, -1)
        for seq in (0, 1, 2**63 - 1, 2**64, -(2**63))
    ],
    "texts that a page might run": [
        (
            "parameters/engine_speed",
            json.dumps(
                {
                    "value": "<script>alert(1)</script>",
                    "unit": "<img src=x onerror=alert(1)>",
                    "time": "2026-11-24T00:00:00Z",
                    "ecu": "';--",
                    "quality": "good",
                }
            ).encode(),
        ),
        (
            "events",
            json.dumps(
                {
                    "v": 1,
                    "agent": "a",
                    "epoch": 1,
                    "seq": 2,
                    "time": "2026-11-24T00:00:00Z",
                    "event": "\"><svg onload=alert(1)>",
                }
            ).encode(),
        ),
    ],
    "5000 parameters": [
        (
            f"parameters/p{number}",
            b'{"value":1,"unit":"rpm","time":"2026-11-24T00:00:00Z","ecu":"7E8","quality":"good"}',
        )
        for number in range(5000)
    ],
}


async def play(arena):
    with Mosquitto(arena.directory) as broker:
        places = asyncio.Semaphore(4)

        async def attack(number, name, messages):
            async with places:
                await asyncio.to_thread(attacked, arena, broker, f"van-{number}", name, messages)

        await asyncio.gather(*(attack(number, *one) for number, one in enumerate(WAYS.items())))


def attacked(arena, broker, vehicle, name, messages):
    client = broker.client()
    client.publish(f"obd/{vehicle}/availability", b"online", qos=1, retain=True)
    broker.settle(client)
    where = ["--broker", broker.url, "--vehicle", vehicle, "--for", f"{LENGTH}s"]
    commands = {"watch": ["watch"], "watch --json": ["watch", "--json"], "record": ["record", "--csv", "-"]}
    limited = ["sh", "-c", f'ulimit -d {MEMORY * 1024}; exec "$@"', "sh", arena.remote]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        programs = {
            name: pool.submit(run, [*limited, *words, *where], LENGTH + LONGER) for name, words in commands.items()
        }
        time.sleep(1)
        for path, payload in messages:
            client.publish(f"obd/{vehicle}/{path}", payload, qos=1)
        ended = {name: program.result() for name, program in programs.items()}
    problems = [odd for _, output, _ in ended.values() if (odd := printable(output.replace(b"\r", b"")))] + broken(
        ended["watch --json"][1]
    )
    arena.row(
        "BOMBS",
        f"obd-remote watch and record, and {name}",
        f"they end by themselves: 0, with {MEMORY} MiB at most; JSON stays JSON",
        ", ".join(f"{command}: {status}" for command, (status, _, _) in ended.items())
        + (f"; {', '.join(problems)[:100]}" if problems else ""),
        all(status == 0 for status, _, _ in ended.values()) and not problems,
    )


def broken(output):
    """Lines that look like JSON, and are none."""
    lines = []
    for line in output.splitlines():
        try:
            line.startswith(b"{") and json.loads(line)
        except ValueError:
            lines.append(line.decode(errors="replace"))
    return lines
