# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The connection to the broker lost and back a hundred times under "watch"."""

import asyncio
import pathlib
import re
import time

from judge import BACK
from programs import Died
from scene import NAME, Scene, beside
from tmux import Tmux
from viewers import Dashboard

COUNT, EARLY = 100, 10
# Anonymous memory that may come between the tenth and the last loss, in KiB. The allocator keeps some in reserve.
GROWTH = 1536


class Usage:
    """What a process has; the least of some looks, since a connection that is being made has more."""

    def __init__(self, process):
        folder = pathlib.Path(f"/proc/{process}")
        found = dict(re.findall(r"^(RssAnon|Threads):\s+(\d+)", (folder / "status").read_text(), re.MULTILINE))
        self.memory, self.threads = int(found["RssAnon"]), int(found["Threads"])
        self.descriptors = len(list((folder / "fd").iterdir()))

    def __str__(self):
        return f"{self.memory / 1024:.1f} MiB, {self.descriptors} descriptors, {self.threads} threads"


async def usage(process):
    looks = []
    for _ in range(8):
        await asyncio.sleep(0.25)
        looks.append(Usage(process))
    result = looks[0]
    for name in ("memory", "threads", "descriptors"):
        setattr(result, name, min(getattr(one, name) for one in looks))
    return result


async def whole(viewer):
    """Seconds until all lamps are lit and values are live."""
    began = time.monotonic()
    while time.monotonic() - began < 2 * BACK:
        seen = await asyncio.to_thread(viewer.look)
        if viewer.status() is not None:
            raise Died(f"watch ended with {viewer.status()}")
        if len(seen.lamps) == 4 and seen.live:
            return time.monotonic() - began
        await asyncio.sleep(0.1)
    raise Died(f"watch shows no live value {2 * BACK} s after a loss: {seen}")


async def dark(viewer):
    """Until the screen tells of the loss."""
    began = time.monotonic()
    while time.monotonic() - began < 5:
        if not (await asyncio.to_thread(viewer.look)).live:
            return
        await asyncio.sleep(0.05)
    raise Died("watch still shows live values 5 s after a loss")


async def losses(options, directory, dice):
    """The rows of a table, and what is wrong."""
    scene, rows, faults = Scene(options.binary, directory, 2), [], []
    tmux = Tmux(directory)
    try:
        await scene.start()
        words = [beside(options.binary, "obd-remote"), "watch", "--broker", scene.broker_url, "--vehicle", NAME]
        viewer = Dashboard("watch", tmux, words)
        await whole(viewer)
        process, wire = viewer.pane.process, scene.wires["viewers"]
        marks, slowest, seen = {0: await usage(process)}, 0, 0
        for number in range(1, COUNT + 1):
            # Some losses last for a moment, in which the broker does not answer.
            is_long = dice.random() < 0.3
            if is_long:
                scene.stall("viewers")
            wire.cut()
            if is_long:
                await dark(viewer)
                seen += 1
                await asyncio.sleep(dice.uniform(0, 0.5))
                scene.flow()
            else:
                connected = wire.connected
                while wire.connected == connected and viewer.status() is None:
                    await asyncio.sleep(0.05)
            slowest = max(slowest, await whole(viewer))
            await asyncio.sleep(dice.uniform(0, 0.3))
            if number in (EARLY, COUNT):
                marks[number] = await usage(process)
        faults += await asyncio.to_thread(viewer.end)
        first, last = marks[EARLY], marks[COUNT]
        if last.memory > first.memory + GROWTH:
            faults.append(f"memory grows by {last.memory - first.memory} KiB")
        if last.descriptors > first.descriptors or last.threads > first.threads:
            faults.append("descriptors or threads grow")
        if slowest > BACK:
            faults.append(f"values are back only after {slowest:.0f} s")
        rows = [f"after {number} losses: {mark}" for number, mark in marks.items()]
        rows.append(f"values live again after at most {slowest:.1f} s; {seen} losses lasted until the screen told of them")
    except (Died, TimeoutError) as error:
        faults.append(str(error))
    finally:
        tmux.close()
        scene.close()
    return rows, faults
