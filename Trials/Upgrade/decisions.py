# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The judgment of the guard as a function: looks in, a verdict out, and the time that it took."""

import pathlib
import subprocess

GUARD = pathlib.Path(__file__).resolve().parents[2] / "debian/upgrade-guard"
ALL = "broker adapter vehicle store"

#: Name; seconds since the version before had each part (missing: never); looks, each (times, seconds, state, restarts, parts
#: in order); verdict, seconds, words of the reason. 900 s are given, and 7200 s for what is older than that.
ROWS = [
    ("all at once", dict(broker=0, adapter=0, vehicle=0, store=0), [(100, 10, "active", 0, ALL)], "good", 300, ""),
    ("nothing before, it only has to stand", {}, [(100, 10, "active", 0, "")], "good", 300, ""),
    ("no broker", dict(broker=0, store=0), [(100, 10, "active", 0, "adapter store")], "bad", 900, "broker not reached within 900"),
    ("broker at the last moment", dict(broker=900), [(89, 10, "active", 0, ""), (9, 10, "active", 0, ALL)], "good", 900, ""),
    ("broker a moment too late", dict(broker=900), [(90, 10, "active", 0, ""), (9, 10, "active", 0, ALL)], "bad", 900, "broker"),
    ("once is enough", dict(broker=0), [(1, 10, "active", 0, "broker"), (50, 10, "active", 0, "")], "good", 300, ""),
    ("a parked vehicle counts as the agent tells it", dict(vehicle=5), [(50, 10, "active", 0, "vehicle")], "good", 300, ""),
    ("the vehicle was away for long", dict(vehicle=901), [(719, 10, "active", 0, "")], "waiting", 7190, ""),
    ("the vehicle stays away", dict(vehicle=901), [(720, 10, "active", 0, "")], "bad", 7200, "vehicle not reached within 7200"),
    ("the vehicle was away for too long", dict(vehicle=7201), [(50, 10, "active", 0, "")], "good", 300, ""),
    ("memory instead of the disk", dict(store=0), [(100, 10, "active", 0, "broker")], "bad", 900, "store"),
    ("failed for good", {}, [(9, 10, "failed", 0, "")], "bad", 30, "does not start"),
    ("failed, and started by hand", {}, [(2, 10, "failed", 0, ""), (50, 10, "active", 0, "")], "good", 320, ""),
    ("five crashes", {}, [(10, 10, "active", n, "") for n in range(9)], "bad", 510, "ended unexpectedly 5 times"),
    ("a crash in four minutes", {}, [(24, 10, "active", n, "") for n in range(9)], "bad", 900, "did not run for 300 s"),
    ("five crashes in five times the time", dict(vehicle=901), [(90, 10, "active", n, "") for n in range(9)], "bad", 7200, "vehicle"),
    ("crashes once there is a vehicle", dict(vehicle=901), [(90, 10, "active", 0, "")] + [(6, 10, "active", n, "vehicle")
     for n in range(1, 9)], "good", 910, ""),
    ("a boot sets the count back", {}, [(1, 10, "active", 4, ""), (40, 10, "active", 0, "")], "good", 310, ""),
    ("starts for ever", {}, [(100, 10, "activating", 0, "")], "bad", 900, "did not run"),
    ("stopped by a human", dict(broker=0), [(1000, 10, "inactive", 0, "")], "waiting", 0, ""),
    ("no time passes while it is stopped", dict(broker=0), [(80, 10, "active", 0, ""), (500, 10, "inactive", 0, ""),
     (9, 10, "active", 0, ALL)], "good", 810, ""),
]


def judge(row):
    """Runs the looks of a row in a shell that has the guard's functions; returns verdict, seconds and reason."""
    _, before, looks, *_ = row
    lines = [f". {GUARD}", "within=900 keep=7200 spent=0 stood=0 up=0 failed=0 restarts=0 crashes=0 crashed_since=0",
             "got='' reason='' unit_result=result"]
    lines += [f"before_{part}={before.get(part, '')}" for part in ALL.split()]
    for times, elapsed, state, restarts, good in looks:
        lines.append(f"elapsed={elapsed} unit_state={state} unit_restarts={restarts} good='{good}' count={times}")
        lines.append('while [ $count -gt 0 ]; do count=$((count - 1)); judge')
        lines.append('if [ $verdict != waiting ]; then echo "$verdict|$spent|$reason"; exit 0; fi; done')
    lines.append('echo "$verdict|$spent|$reason"')
    done = subprocess.run(["/bin/sh", "-c", "\n".join(lines)], capture_output=True, text=True, check=False)
    return (done.stdout.strip() or done.stderr).split("|", 2)


def main():
    """Prints the rows that are judged otherwise; 1 if there is one."""
    status = 0
    for row in ROWS:
        *_, verdict, seconds, words = row
        found = judge(row)
        if found[:2] != [verdict, str(seconds)] or words not in found[2]:
            print(f"FAIL  {row[0]}: {found}, not {verdict} after {seconds} s, {words!r}")
            status = 1
    print(f"{'FAIL' if status else 'ok'}    decisions        {len(ROWS)} rows")
    return status
