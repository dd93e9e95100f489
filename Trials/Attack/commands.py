# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Forged and odd signed commands, of every kind that Trials/Hostile makes. The agent must obey none."""

import asyncio
import collections
import time

from forger import Forger
from orders import FORGED, HONEST
from victim import Victim, until

EACH = 60
PATIENCE = 30


async def play(arena):
    victim = Victim(
        arena,
        "signed",
        simulate=("--trip", "1", "--pause", "86400", "--codes", "P0301", "--obeys-control"),
        parking=["after_seconds = 86400"],
        commands=["raw_writing = true"],
    )
    async with victim:
        await victim.connected()
        forger = Forger(victim.keys, arena.dice, 10_000, False)
        for number in range(3):
            await obeyed(victim, forger, number)
        for name, (make, _) in forger.kinds.items():
            await forged(arena, victim, name, make)
        await obeyed(victim, forger, 3)
        count = sum(data[:2] == b"\x48\x01" and data[2] == HONEST for _, _, data in victim.served())
        arena.row(
            "SIGNED",
            "4 honest commands before and behind them: the control",
            "each done once",
            f"{count} done",
            count == 4,
        )


async def obeyed(victim, forger, number):
    """An honest command, which can be replayed from then on."""
    identifier = f"honest-{number}"
    text = victim.command(identifier, "run_test", {"test": "01", "data": f"{HONEST:02X}{number:08X}"})
    victim.broker.deliver(text)
    await victim.until(lambda: victim.broker.last_answer(identifier), identifier, PATIENCE)
    forger.done.append((identifier, "engineer", text))


def harm(victim):
    """The counts of executed tests, clears and findings, by the vehicle's log and the agent's messages."""
    tests = sum(data[:2] == b"\x48\x01" and data[2] == FORGED for _, _, data in victim.served())
    clears = sum(data[0] in (0x44, 0x54) for _, _, data in victim.served())
    honest = sum(data[:2] == b"\x48\x01" and data[2] == HONEST for _, _, data in victim.served())
    return tests, clears, len(victim.broker.told("finding")), honest


async def forged(arena, victim, name, make):
    broker, before = victim.broker, harm(victim)
    answers = len(broker.answers())
    for _ in range(EACH):
        made = make()
        payload, how = made if isinstance(made, tuple) else (made, {})
        broker.deliver(payload, **how)
        await broker.flush()
        await asyncio.sleep(0.005)
    # The agent answers in order, so all forged commands were judged before this one.
    marker, began = f"after {name}".replace(" ", "-").replace(",", "").replace("'", ""), time.monotonic()
    broker.deliver(victim.command(marker, "describe"))
    answer = await until(lambda: broker.last_answer(marker), PATIENCE, victim.agent.check)
    delay = time.monotonic() - began
    counts = collections.Counter(
        f"{one['reason'] or one['state']}{' (repeat)' if one.get('repeat') else ''}"
        for one in broker.answers()[answers:]
        if one["id"] != marker
    )
    after = harm(victim)
    said = ", ".join(f"{count} {reason}" for reason, count in counts.most_common(4))
    arena.row(
        "SIGNED",
        f"{EACH} commands: {name}",
        "none is obeyed; the owner's is, within 1 s",
        f"{said or 'no answer'}; the owner's after {delay:.2f} s",
        after == before and answer is not None and answer["state"] == "succeeded" and delay < 1,
    )
