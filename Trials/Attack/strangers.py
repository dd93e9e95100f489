# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""H2: the cost of publishers without a key."""

import asyncio
import datetime
import json
import time

from forger import stamp
from victim import Victim, until

# The length of each attack in seconds, and the limit of bytes that are sent to strangers in that time.
SECONDS, MOST = 60, 160 * 1024
BUDGET = 5


async def play(arena):
    few = properties(b"obd/van/responses/x", bytes(250))
    # Less than a packet of 68 KiB, and more.
    many = properties(b"obd/van/responses/" + b"x" * 1000, bytes(60_000))
    most = properties(b"obd/van/responses/" + b"x" * 60_000, bytes(65_535))
    await asyncio.gather(
        echoes(arena, "no command, 0.3 KiB to be sent back", "none", lambda number: b"{", few),
        echoes(arena, "no command, 60 KiB to be sent back", "observer", lambda number: b"{", many),
        echoes(arena, "no command, 125 KiB to be sent back", "none", lambda number: b"{", most),
        echoes(arena, "unsigned and refused, 0.3 KiB to be sent back", "none", unsigned, few),
        echoes(arena, "unsigned and refused, 60 KiB to be sent back", "none", unsigned, many),
        echoes(arena, "unsigned, 7 KiB, wrong", "observer", lambda number: unsigned(number, 7000), few),
        echoes(arena, "unsigned and obeyed, 0.3 KiB to be sent back", "observer", unsigned, few),
        births(arena),
    )


def unsigned(number, padding=0):
    now = datetime.datetime.now(datetime.timezone.utc)
    command = {
        "id": f"stranger-{number}",
        "command": "read_codes",
        "arguments": {"x" * padding: 1} if padding else {},
        "issued_at": stamp(now),
        "expires_at": stamp(now + datetime.timedelta(minutes=5)),
    }
    return json.dumps(command).encode()


def properties(response, correlation):
    """Response topic and correlation data, with their length."""
    text = b""
    for identifier, value in ((8, response), (9, correlation)):
        text += bytes([identifier]) + len(value).to_bytes(2, "big") + value
    length, digits = len(text), b""
    while length or not digits:
        digits += bytes([length & 0x7F | (0x80 if length > 0x7F else 0)])
        length >>= 7
    return digits + text


async def echoes(arena, name, role, payload, wishes):
    """Asks ten times a second, with a response topic and correlation data."""
    victim = Victim(
        arena,
        name.replace(" ", "-").replace(",", "").replace(".", "-"),
        commands=[f'unsigned_role = "{role}"'],
        uplink=[f"daily_budget_mib = {BUDGET}"],
    )
    async with victim:
        await victim.connected()
        broker = victim.broker
        for number in range(SECONDS * 10):
            broker.deliver(payload(number), properties=wishes)
            await broker.flush()
            await asyncio.sleep(0.1)
        victim.agent.check()
        sent = sum(
            message.size
            for message in broker.messages
            if "/responses" in message.topic and json.loads(message.payload)["issuer"] is None
        )
        # Telemetry of the last batches: it waits for the next day where the budget is spent.
        began = time.monotonic() - 15
        recent = await until(
            lambda: [one for one in broker.messages if one.topic.endswith("/telemetry") and one.time > began], 15
        )
        arena.figure(f"KiB sent to strangers in {SECONDS} s", sent / 1024, MOST // 1024, "KiB")
        arena.row(
            "H2",
            f"{SECONDS * 10} messages in {SECONDS} s: {name}",
            f"less than {MOST // 1024} KiB sent to strangers; telemetry goes on with a budget of {BUDGET} MiB",
            f"{sent / 1024:.1f} KiB; telemetry {'goes on' if recent else 'waits'}",
            sent < MOST and recent,
        )


async def births(arena, count=596):
    """A stranger announces starts of Home Assistant."""
    victim = Victim(arena, "births")
    async with victim:
        await victim.connected()
        broker = victim.broker
        await victim.until(lambda: announced(broker), "the announcement")
        await asyncio.sleep(5)
        before = len(announced(broker))
        for _ in range(count):
            broker.deliver(b"online", topic="homeassistant/status")
            await broker.flush()
            await asyncio.sleep(0.05)
        await asyncio.sleep(5)
        messages = announced(broker)[before:]
        most = max((sum(one.topic == message.topic for one in messages) for message in messages), default=0)
        arena.row(
            "H2",
            f"{count} births on homeassistant/status",
            "1 announcement at most in ten minutes",
            f"{most} announcements, {sum(message.size for message in messages) / 1024:.0f} KiB",
            most <= 1,
        )


def announced(broker):
    return [message for message in broker.messages if message.topic.startswith("homeassistant/") and message.payload]
