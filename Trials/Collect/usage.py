# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""What programs take of the machine while something is measured, and how late the rows were."""

import contextlib
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Fleet"))

from postgres import children
from vehicles import TICKS


class Tree:
    """A process and its children: processor time since this was made, and memory now."""

    def __init__(self, process):
        self.process = process
        self.before = self.seconds

    @property
    def seconds(self):
        """Its own time, that of its children, and that of those which have ended."""
        total = 0
        for one in (self.process, *children(self.process)):
            with contextlib.suppress(OSError):
                words = pathlib.Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
                total += int(words[11]) + int(words[12])
                total += int(words[13]) + int(words[14]) if one == self.process else 0
        return total / TICKS

    @property
    def memory(self):
        """MiB: the most of one process so far, or what several have now, with their parts of what they share."""
        found = children(self.process)
        if not found:
            return int(pathlib.Path(f"/proc/{self.process}/status").read_text().split("VmHWM:")[1].split()[0]) / 1024
        total = 0
        for one in (self.process, *found):
            with contextlib.suppress(OSError):
                total += int(pathlib.Path(f"/proc/{one}/smaps_rollup").read_text().split("Pss:")[1].split()[0])
        return total / 1024


class Usage:
    """What several programs took between two moments."""

    def __init__(self, **programs):
        self.trees = {name: Tree(program.process.pid) for name, program in programs.items()}
        self.figures = {}

    def end(self):
        self.figures = {name: (tree.seconds - tree.before, tree.memory) for name, tree in self.trees.items()}

    def told(self, seconds):
        """By name: shares of a core over so many seconds, and memory."""
        return ", ".join(
            f"{name} {spent / max(seconds, 0.001) * 100:.0f} % of a core, {memory:.0f} MiB" for name, (spent, memory) in self.figures.items()
        )


# The newest sample of each vehicle in each transaction: it waited least for the end of its batch.
NEWEST = (
    "SELECT pg_xact_commit_timestamp(samples.xmin) AS done, max(time) AS time FROM samples JOIN series ON series.id = samples.series "
    "GROUP BY vehicle, samples.xmin, pg_xact_commit_timestamp(samples.xmin)"
)
EVERY = "SELECT pg_xact_commit_timestamp(xmin) AS done, time FROM samples"


async def delays(postgres, database, rows=NEWEST, since=0):
    """Seconds from the reading to the commit: median, 99 %, worst; of what was committed after a moment."""
    parts = ", ".join(f"percentile_disc({share}) WITHIN GROUP (ORDER BY late)" for share in (0.5, 0.99, 1))
    late = f"SELECT extract(epoch FROM done - time) AS late FROM ({rows}) AS rows WHERE done > to_timestamp({since})"
    ((median, most, worst),) = await postgres.ask(f"SELECT {parts} FROM ({late}) AS delays", database)
    return tuple(float(one or 0) for one in (median, most, worst))


def told(figures):
    return ", ".join(f"{name} {seconds * 1000:.0f} ms" for name, seconds in zip(("median", "99 %", "worst"), figures))
