# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""R1: an adapter that loses its power with the ignition, and comes back with the engine running."""

import asyncio

from switch import Switch
from victim import Victim, boot_milliseconds, until

AFTER, LOOK = 30, 10
# The seconds without power: less than AFTER, about as much, and more.
ABSENCES = 20, 27, 28, 29, 30, 31, 35, 45
# The longest time until the first reading, in seconds.
LONGEST = LOOK + 15


async def play(arena):
    await asyncio.gather(*(away(arena, seconds) for seconds in ABSENCES))


async def away(arena, seconds):
    victim = Victim(
        arena,
        f"away-{seconds}",
        parking=[f"after_seconds = {AFTER}", f"look_seconds = {LOOK}"],
        home_assistant=["enabled = false"],
    )
    switch = Switch(victim.vehicle_port)
    victim.adapter = f"tcp:127.0.0.1:{await switch.start()}"
    async with victim:
        await victim.connected()
        await asyncio.sleep(1)
        await switch.move(None)
        await asyncio.sleep(seconds)
        await switch.move(victim.vehicle_port)
        back = boot_milliseconds()

        def first():
            return next(
                (at for at, _, data in victim.served() if at >= back and data[0] == 0x41 and data[1] % 0x20), None
            )

        at = await until(first, LONGEST + 3)
        seen = f"read after {(at - back) / 1000:.1f} s" if at else f"nothing in {LONGEST + 3} s"
        arena.row(
            "R1",
            f"an adapter without power for {seconds} s, back with the engine running (after_seconds = {AFTER})",
            f"read within look_seconds + 15 s: {LONGEST} s",
            seen,
            at is not None and at - back <= LONGEST * 1000,
        )
