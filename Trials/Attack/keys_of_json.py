# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""H1: keys and texts that take long to compare, and the owner's command that waits behind them."""

import asyncio
import datetime
import json
import time

from forger import stamp
from keys import encoded
from outside import Mosquitto, run
from victim import Victim, until

COUNT = 60
# The longest that the owner may wait, in seconds.
DELAY = 1
# The longest part of a hostile message that may come back, in bytes.
ECHO = 1024


def marks(length):
    """A run of combining marks of several classes, which normalisation must sort: two bytes each."""
    classes = "\u0316\u0301\u0327\u0345\u031b\u0315\u0300\u0323"
    return "a" + (classes * (length // 16 + 1))[: length // 2]


def order(**others):
    now = datetime.datetime.now(datetime.timezone.utc)
    members = {
        "id": "x",
        "command": "describe",
        "issued_at": stamp(now),
        "expires_at": stamp(now + datetime.timedelta(hours=1)),
    }
    return json.dumps(members | others, ensure_ascii=False).encode()


LONG = marks(65_000)
WAYS = {
    "a key of 64 KiB of combining marks": json.dumps({LONG: 1}, ensure_ascii=False).encode(),
    "the same among the arguments": order(arguments={LONG[:64_000]: 1}),
    "the same as the id": order(id=LONG[:64_000]),
    "the same as the command": order(command=LONG[:64_000]),
    "the same as the vehicle": order(vehicle=LONG[:64_000]),
    "the same as a parameter": order(command="read_parameters", arguments={"parameters": [LONG[:64_000]]}),
    "hundreds of such keys": json.dumps(
        {marks(120) + str(number): 1 for number in range(400)}, ensure_ascii=False
    ).encode(),
    "a signature's header with such a key": encoded(
        json.dumps({"alg": "ES256", LONG[:30_000]: 1}, ensure_ascii=False).encode()
    )
    + b".e30.AAAA",
    "a signature's kid of that kind": encoded(
        json.dumps({"alg": "ES256", "kid": LONG[:30_000]}, ensure_ascii=False).encode()
    )
    + b".e30.AAAA",
}


async def play(arena):
    for number, (name, payload) in enumerate(WAYS.items()):
        await delayed(arena, number, name, payload)
    await asyncio.to_thread(listed, arena)


async def delayed(arena, number, name, payload, patience=10):
    async with Victim(arena, f"keys-{number}", commands=['unsigned_role = "observer"']) as victim:
        await victim.connected()
        broker = victim.broker
        await victim.obeys("before", "describe")
        seconds, began = victim.seconds, time.monotonic()
        for _ in range(COUNT):
            broker.deliver(payload)
        broker.deliver(victim.command("owner", "describe"))
        await broker.flush()
        answer = await until(lambda: broker.last_answer("owner"), patience)
        delay = time.monotonic() - began
        took = victim.seconds - seconds
        echo = max(
            (len(text) for text in broker.told("responses") if json.loads(text)["id"] not in ("owner", "before")),
            default=0,
        )
        arena.figure(f"a signed command's delay under {COUNT} hostile messages", delay, DELAY, "s")
        seen = f"{delay:.2f} s" if answer else f"no answer in {patience} s"
        arena.row(
            "H1",
            f"{COUNT} unsigned messages, then the owner's command: {name}",
            f"answered within {DELAY} s; an answer to a stranger has at most {ECHO} bytes",
            f"{seen}; {took:.1f} s of processor time; {echo} bytes",
            bool(answer) and delay < DELAY and echo <= ECHO,
        )


def listed(arena):
    """Retained messages of that kind, and whoever lists the vehicles."""
    with Mosquitto(arena.directory) as broker:
        client = broker.client()
        for number in range(12):
            payload = {LONG: 1} if number % 2 else {"v": 1, "vin": LONG}
            for topic in ("status", "vehicle", "codes"):
                client.publish(
                    f"obd/car-{number}/{topic}", json.dumps(payload, ensure_ascii=False).encode(), qos=1, retain=True
                )
        broker.settle(client)
        status, _, took = run([arena.remote, "list", "--broker", broker.url, "--timeout", "30s"], 60)
        # It waits for a while for what else is there.
        arena.row(
            "H1",
            "obd-remote list with retained messages of that kind",
            "done within 5 s",
            f"{took:.1f} s, exit status {status}",
            took < 5 and status == 0,
        )
