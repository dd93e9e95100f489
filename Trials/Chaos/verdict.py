# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Holds what arrived against what was served, and against what the agent believes to have arrived."""

import collections
import pathlib
import sqlite3
import time

import truth
import witness as witnessed
from stage import STORE_WINDOW

# What a kill may cost: the window that is configured, and its last second; what was on its way to the agent.
AGENT_LOSS = (STORE_WINDOW + 1) * 1000
VEHICLE_LOSS = 1000
# The vehicle's log has the time at which a message is on the bus, a little after the request.
BUS_DELAY = 200
# The most that a sample's time may be away from the vehicle's own log of it, in milliseconds: the agent notes when a
# reply was there, which on a busy machine is late.
TOLERANCE = 1000
LEAST_SHARE = 0.9


def verdict(stage, status):
    """Prints the counts; whether all is well."""
    witness, problems = stage.witness, list(stage.witness.problems)
    offset = time.time() * 1000 - time.clock_gettime(time.CLOCK_BOOTTIME) * 1000
    arrived, errors = {}, []
    for record in witness.records.values():
        if record.stream == "telemetry" and record.acknowledged:
            for series, at, value in witnessed.samples(record.payload):
                # What the adapter tells of the supply is none of the vehicle's values.
                if series.startswith("supply_"):
                    continue
                known = arrived.setdefault((series, round(value)), (record.key, at))
                if known[0] != record.key:
                    problems.append(f"{series} {value} is in {known[0]} and in {record.key}")
    lost, excused, count = [], 0, 0
    served = {}
    for series, number, at in truth.served(stage.served):
        count += 1
        served[series, number] = at
        if (series, number) in arrived:
            errors.append(arrived[series, number][1] - offset - at)
        elif is_excused(stage, at):
            excused += 1
        else:
            lost.append((series, number, at))
    invented = set(arrived) - set(served)
    wrong_times = sum(abs(error) > TOLERANCE for error in errors)
    believed, unseen = agent_believes(stage, problems)
    gaps = holes(stage)
    errors.sort(key=abs)
    share = len(errors) / max(1, count)
    print(f"served           {count}")
    print(f"arrived          {len(errors)}, {share:.1%}")
    print(f"lost             {len(lost)}, and {excused} within the windows before {len(stage.agent_ends)} kills of the")
    print(f"                 agent ({AGENT_LOSS} ms) and {len(stage.vehicle_ends)} of the vehicle ({VEHICLE_LOSS} ms)")
    print(f"invented         {len(invented)}")
    print(f"records          {len(witness.records)} ({describe(witness)}), published {witness.published} times")
    print(f"numbers missing  {gaps}, of records that were never on the disk")
    print(f"acknowledged     {believed} as the agent has it; {unseen} of them not seen at the proxy")
    print(f"duplicates       {len(problems)} that differ, or are out of order; {witness.repeated} alike")
    if errors:
        middle, late = errors[len(errors) // 2], errors[len(errors) * 99 // 100]
        print(f"times            {wrong_times} wrong by more than {TOLERANCE} ms; median {middle:.0f} ms,", end=" ")
        print(f"99 % {late:.0f} ms, worst {errors[-1]:.0f} ms")
    print(f"end              exit status {status}, {witness.goodbyes} goodbyes")
    for problem in problems[:20]:
        print(f"  {problem[:600]}")
    for series, number, at in lost[:20]:
        print(f"  lost: {series} {number}, served at {at}; {nearest(stage, at)}")
    fine = not (lost or invented or wrong_times or unseen or problems) and status == 0 and share >= LEAST_SHARE
    return fine and believed > 0


def is_excused(stage, at):
    return any(end - AGENT_LOSS <= at <= end + BUS_DELAY for end in stage.agent_ends) or any(
        end - VEHICLE_LOSS <= at <= end + BUS_DELAY for end in stage.vehicle_ends
    )


def nearest(stage, at):
    """How far away the kills around a moment are, for whoever looks for the reason."""
    ends = [(end - at, "agent") for end in stage.agent_ends] + [(end - at, "vehicle") for end in stage.vehicle_ends]
    return ", ".join(f"{name} {away:+} ms" for away, name in sorted(ends, key=lambda end: abs(end[0]))[:2])


def describe(witness):
    return ", ".join(f"{count} {name}" for name, count in collections.Counter(
        record.stream for record in witness.records.values()).items())


def holes(stage):
    """How many numbers of epochs that had later ones never came."""
    last, seen = {}, collections.Counter()
    for stream, epoch, seq in stage.witness.records:
        last[stream, epoch] = max(last.get((stream, epoch), 0), seq)
        seen[stream, epoch] += 1
    return sum(last[key] - seen[key] for key in last)


def agent_believes(stage, problems):
    """How many records the database has as acknowledged, and how many of them the proxy did not see so."""
    database = sqlite3.connect(pathlib.Path(stage.disk.path, "obd-agent.db"))
    believed = unseen = 0
    for stream, sent in database.execute("SELECT name, sent FROM streams"):
        if stream not in ("telemetry", "events"):
            continue
        for (identifier,) in database.execute(f"SELECT id FROM {stream} WHERE id <= ?", (sent,)):
            believed += 1
            record = stage.witness.records.get((stream, identifier >> 30, identifier & (1 << 30) - 1))
            unseen += not (record and record.acknowledged)
        (waiting,) = database.execute(f"SELECT count(*) FROM {stream} WHERE id > ?", (sent,)).fetchone()
        if waiting:
            problems.append(f"{waiting} records of {stream} are still waiting")
    return believed, unseen
