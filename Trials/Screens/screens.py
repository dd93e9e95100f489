#!/usr/bin/python3 -B
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Breaks what is between a vehicle and those who look on, and looks at their screens.

No screen may show a value of before the break as a live one, by docs/contract, "How old a value is", and each program
comes back by itself. Beside that, "watch" loses its connection a hundred times. Prints tables in Markdown.
"""

import argparse
import asyncio
import pathlib
import random
import time

from scene import NAME, Scene
from breaks import BREAKS
from judge import GIVEN_UP, LAG, Judge
from losses import COUNT, losses
from programs import beside, run_to_the_end
from tmux import Tmux
from viewers import Collecting, Console, Dashboard, Pipe, Recording

LOSSES = "losses"
# Seconds that a break lasts at least, and after all has become dark.
HOLD, AFTER = 5, 3


async def run(options, directory):
    chosen = options.only.replace(",", " ").split() or [*BREAKS, LOSSES]
    dice = random.Random(options.seed)
    breaks = [one for name, one in BREAKS.items() if name in chosen]
    # Side by side, since both mostly wait.
    parts = [screens(options, f"{directory}/screens", breaks)] if breaks else []
    if LOSSES in chosen:
        parts.append(hundred(options, f"{directory}/losses", dice))
    faults = sum(await asyncio.gather(*parts), [])
    for words in faults:
        print(f"FAILED: {words}")
    return not faults


async def hundred(options, directory, dice):
    rows, faults = await losses(options, directory, dice)
    lines = [f"| {row.replace(': ', ' | ', 1)} |" for row in rows]
    print("\n".join(["", f"| watch, {COUNT} losses | it has |", "| --- | --- |", *lines, ""]), flush=True)
    return [f"{COUNT} losses: {words}" for words in faults]


async def screens(options, directory, breaks):
    """Each program beside each other, and one break after the other."""
    scene, viewers, faults = Scene(options.binary, directory, options.seed % 1000, options.page), [], []
    tmux = Tmux(directory)
    table = {}
    try:
        await scene.start()
        await asyncio.to_thread(look_on, scene, tmux, viewers, options.page)
        for one in breaks:
            judges = await shown(scene, one, viewers)
            for judge in judges:
                table[judge.viewer.name, one.name] = judge.words
                faults += [f"{judge.viewer.name}, {one.title}: {words}" for words in judge.faults]
            viewers = [viewer for viewer in viewers if viewer.status() is None]
        for viewer in viewers:
            found = await asyncio.to_thread(viewer.end)
            table[viewer.name, "end"] = "**FAILED**" if found else "well"
            faults += [f"{viewer.name}, at its end: {words}" for words in found]
    finally:
        for viewer in viewers:
            await asyncio.to_thread(viewer.close)
        tmux.close()
        scene.close()
    show(table, breaks)
    return faults


def look_on(scene, tmux, viewers, page):
    """Starts all programs that run for long, and adds each to the viewers."""
    remote = beside(scene.binary, "obd-remote")
    words = [scene.binary, "watch", "--config", scene.configuration]
    viewers.append(Dashboard("agent watch", tmux, words, is_at_socket=True))
    viewers.append(Dashboard("remote watch", tmux, [remote, "watch", "--broker", scene.broker_url, "--vehicle", NAME]))
    viewers += [Pipe(scene), Recording(scene), Collecting(scene)]
    if page:
        viewers.append(Console(scene))


async def shown(scene, one, viewers):
    """Breaks and mends one thing, and returns a judge for each program."""
    judges = [Judge(viewer, one) for viewer in viewers]
    await asyncio.gather(*(judge.before() for judge in judges))
    scene.check()
    began = time.monotonic()
    for judge in judges:
        judge.began = began
    await one.begin(scene)
    watching = [asyncio.create_task(judge.watch()) for judge in judges]
    try:
        settled = began + HOLD
        while time.monotonic() < max(settled, began + HOLD) and time.monotonic() < began + one.limit + 2 * LAG + GIVEN_UP / 4:
            if not all(judge.is_dark or task.done() for judge, task in zip(judges, watching)):
                settled = time.monotonic() + AFTER
            await asyncio.sleep(0.1)
        for judge in judges:
            if judge.dark is not None and judge.viewer.status() is None:
                found = await asyncio.to_thread(judge.viewer.settled, one, time.monotonic() - began)
                for words in found:
                    judge.fault(words)
        returned, returned_at = time.monotonic(), time.time()
        await one.mend(scene)
        for judge in judges:
            judge.returned_at, judge.returned = returned_at, returned
        await scene.published()
        published = time.monotonic()
        for judge in judges:
            judge.published = published
        await asyncio.gather(*watching)
    finally:
        for task in watching:
            task.cancel()
    print(f"{one.title}: the agent is back after {published - returned:.1f} s", flush=True)
    return judges


def show(table, breaks):
    """Seconds until nothing looked live, and after the return until all did."""
    names = list(dict.fromkeys(name for name, _ in table))
    columns = [*((one.name, one.title) for one in breaks), ("end", "end")]
    print("\n" + " | ".join(["| not live after / live again after, s", *(title for _, title in columns)]) + " |")
    print("| --- " * (len(columns) + 1) + "|")
    for name in names:
        print(" | ".join([f"| {name}", *(table.get((name, column), "") for column, _ in columns)]) + " |")
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("page", type=pathlib.Path, nargs="?", help="the folder of the console; without it, no console")
    parser.add_argument("--only", default="", help=f"some of: {' '.join(BREAKS)} {LOSSES}")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--keep", help="a new directory for the logs, which stays")
    options = parser.parse_args()
    options.page = options.page and options.page.resolve()
    print(f"seed {options.seed}", flush=True)
    run_to_the_end("screens", run, options, f"SEED={options.seed} does the same again")


main()
