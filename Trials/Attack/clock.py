# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""H3: the agent's clock is set back, and commands of before come."""

import asyncio
import contextlib
import pathlib
import shutil
import sqlite3
import subprocess
import time

from victim import Victim, until

STANDS = "--trip", "1", "--pause", "86400", "--codes", "P0301", "--obeys-control"
DAYS = 40
AHEAD = DAYS * 86400
# Milliseconds after which a date has certainly passed.
LONG = 3_600_000


async def play(arena):
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler:
        arena.row("H3", "the clock is set back", "clock_unknown", "no C compiler is installed", None)
        return
    library = arena.directory / "clock.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", library, pathlib.Path(__file__).with_name("clock.c"), "-ldl"], check=True
    )
    await asyncio.gather(
        set_back(arena, library, "withheld", was_obeyed=False, lasts=True, restarts=False),
        set_back(arena, library, "withheld-restart", was_obeyed=False, lasts=True, restarts=True),
        set_back(arena, library, "again", was_obeyed=True, lasts=True, restarts=False),
        set_back(arena, library, "again-moment", was_obeyed=True, lasts=False, restarts=True),
    )


async def set_back(arena, library, name, was_obeyed, lasts, restarts):
    """Sets the clock ahead and back, then delivers a command of the time that comes a second time.

    `lasts` is whether the agent has run for so long ahead that the date was certainly right.
    """
    clock = arena.directory / f"{name}.clock"
    clock.write_bytes(bytes(8))
    victim = Victim(arena, name, simulate=STANDS, environment={"LD_PRELOAD": library, "CLOCK_OFFSET": clock})
    async with victim:
        await victim.connected()
        # The journal begins before the command is issued.
        await victim.obeys("begin", "read_codes")
        await asyncio.sleep(2.5)
        text = victim.command("old", "run_test", {"test": "01", "data": "F000000007"})
        if was_obeyed:
            victim.broker.deliver(text)
            await victim.until(lambda: victim.broker.last_answer("old"), "the first answer")
        executed = tests(victim)
        # Journal entries of the present boot never get too old, so the machine is started anew.
        await restart(victim, clock, AHEAD, "UPDATE boots SET boot = 'before'")
        await read(victim, "first")
        if lasts:
            since = int((time.time() + AHEAD) * 1000) - LONG
            values = f"CASE name WHEN 'date_candidate' THEN {since} WHEN 'date_ran' THEN {LONG} ELSE value END"
            await restart(victim, clock, AHEAD, f"UPDATE meta SET value = {values}")
            await read(victim, "second")
        if restarts:
            await restart(victim, clock, 0)
        set_clock(clock, 0)
        await asyncio.sleep(1)
        count = len(victim.broker.answers("old"))
        victim.broker.deliver(text)
        finals = ("succeeded", "failed", "refused")
        await until(lambda: [one for one in victim.broker.answers("old")[count:] if one["state"] in finals], 10)
        answers = victim.broker.answers("old")[count:]
        reasons = {f"{one['reason'] or one['state']}{' (repeat)' if one.get('repeat') else ''}" for one in answers}
        again = tests(victim) - executed
        length = "long" if lasts else "a moment"
        arena.row(
            "H3",
            f"a clock that was {DAYS} days ahead for {length} and is set back{', restarted' if restarts else ''}, "
            "then a command " + ("that was obeyed before" if was_obeyed else "withheld since"),
            "clock_unknown, before_journal or its first answer; nothing is done",
            f"{', '.join(sorted(reasons))}; done {again} times",
            again == 0 and bool(answers),
        )


async def read(victim, name):
    """The agent notices the time from commands, and in its own rounds."""
    now = int(time.time()) + AHEAD
    for number in range(3):
        await victim.obeys(f"{name}-{number}", "read_codes", iat=now - 1, exp=now + 3600)
    await asyncio.sleep(3)


async def restart(victim, clock, seconds, change=None):
    """Restarts the agent at another time, with a change of its database that stands for time that has passed."""
    await victim.agent.stop()
    victim.broker.ready.clear()
    if change:
        with contextlib.closing(sqlite3.connect(victim.directory / "state/obd-agent.db")) as database, database:
            database.execute(change)
    set_clock(clock, seconds)
    before = len(victim.broker.messages)
    victim.agent.start()
    await victim.until(
        lambda: victim.broker.ready.is_set()
        and any(one.topic.endswith("/vehicle") for one in victim.broker.messages[before:]),
        "the vehicle",
        40,
    )


def tests(victim):
    return sum(data[0] == 0x48 for _, _, data in victim.served())


def set_clock(path, seconds):
    """In place, since the agent has the file in its memory."""
    with path.open("r+b") as file:
        file.write(seconds.to_bytes(8, "little"))
