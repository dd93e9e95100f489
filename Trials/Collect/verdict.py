# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Holds the collectors' database against the vehicles' own: every sample, event and trip exactly once."""

import collections
import math

from books import STREAMS, Collected, Ledger

# The most that a sample's time may be away from the vehicle's own: the date of a boot is worked out anew each time.
TOLERANCE = 100


async def verdict(vans, postgres):
    """Prints the counts; whether all is well."""
    there = await Collected().read(postgres)
    counts, problems = collections.Counter(), []
    for van in vans:
        ledger = Ledger(van)
        counts["records"] += sum(len(ledger.numbers[stream]) for stream in STREAMS)
        counts["waiting"] += ledger.waiting
        for key in ledger.samples.keys() | {key[1:] for key in there.samples if key[0] == van.name}:
            own, came = ledger.samples.get(key, []), there.samples.get((van.name, *key), [])
            counts["samples"] += len(own)
            judge(ledger, key, own, came, counts, problems)
        judge_events(ledger, there, counts, problems)
        judge_numbers(ledger, there, counts, problems)
        if van.is_small and not ledger.dropped:
            problems.append(f"{van.name} has dropped nothing, although its store was too small")
    invented = set(there.samples) - {(van.name, *key[1:]) for van in vans for key in there.samples if key[0] == van.name}
    problems += [f"nobody has {key}" for key in invented]
    wrong = "missing", "doubled", "invented", "untold"
    print(f"records          {counts['records']} of {len(vans)} vehicles, acknowledged; {counts['waiting']} more waited at the end")
    print(f"samples          {counts['samples']}, {counts['right']} of them exactly once in the database")
    print(f"events           {counts['events']}, of trips {counts['trips']}")
    print(f"missing          {counts['missing']}")
    print(f"doubled          {counts['doubled']}")
    print(f"invented         {counts['invented']}; {counts['trimmed']} samples came and are not in the vehicle any more,", end=" ")
    print(f"and {counts['unconfirmed']} of records that waited for the broker's word")
    print(f"dropped          {counts['dropped']} records by the store's limit, {counts['by event']} of them before they were sent;", end=" ")
    print(f"{counts['untold']} of them not told")
    for problem in problems[:20]:
        print(f"  {problem}")
    return counts["samples"] > 0 and counts["trips"] > 0 and not problems and not any(counts[name] for name in wrong)


def judge(ledger, key, own, came, counts, problems):
    """Goes through two accounts of one series side by side."""
    mine = theirs = 0
    last = None
    while mine < len(own) or theirs < len(came):
        one = own[mine] if mine < len(own) else (math.inf, 0)
        other = came[theirs] if theirs < len(came) else (math.inf, 0)
        if abs(one[0] - other[0]) <= TOLERANCE and math.isclose(one[1], other[1], abs_tol=1e-9):
            counts["right"] += 1
            last, mine, theirs = other, mine + 1, theirs + 1
        elif one[0] <= other[0]:
            counts["missing"] += 1
            problems.append(f"{ledger.van} {key}: {one} is missing")
            mine += 1
        else:
            is_again = last and other[1] == last[1] and other[0] - last[0] <= TOLERANCE
            unconfirmed = *key, round(other[1], 4)
            if not is_again and ledger.unconfirmed[unconfirmed]:
                ledger.unconfirmed[unconfirmed] -= 1
                counts["unconfirmed"] += 1
                last, theirs = other, theirs + 1
                continue
            # What the limit of the store has removed since can't be held against anything.
            kind = "doubled" if is_again else "trimmed" if ledger.dropped and other[0] < ledger.oldest else "invented"
            counts[kind] += 1
            if kind != "trimmed":
                problems.append(f"{ledger.van} {key}: {other} is {kind}")
            last, theirs = other, theirs + 1


def judge_events(ledger, there, counts, problems):
    own = {(ledger.van, *key, name) for key, name in ledger.events.items()}
    came = {key: count for key, count in there.events.items() if key[0] == ledger.van}
    trips = {key[:3] for key in own if key[3] == "trip"}
    counts["events"] += len(own)
    counts["trips"] += len(trips)
    for what, mine, theirs in ("event", own, came), ("trip", trips, {k: v for k, v in there.trips.items() if k[0] == ledger.van}):
        for key in mine - theirs.keys():
            counts["missing"] += 1
            problems.append(f"the {what} {key} is missing")
        for key, count in theirs.items():
            if count > 1 or key not in mine:
                counts["doubled" if count > 1 else "invented"] += 1
                problems.append(f"the {what} {key} is there {count} times")


def judge_numbers(ledger, there, counts, problems):
    """Whether each number came, or is told to be lost and really is."""
    for (van, stream, epoch), (came, lost) in there.received.items():
        if van != ledger.van:
            continue
        own = {seq for of, seq in ledger.numbers[stream] if of == epoch}
        gone = set(range(1, max(own | came | {0}) + 1)) - came
        counts["dropped"] += len(gone)
        by_event = {seq for seq in gone if ledger.has_told(stream, epoch, seq)}
        counts["by event"] += len(by_event)
        untold = gone - own - (lost if ledger.is_small else lost & by_event)
        counts["untold"] += len(untold)
        for what, some in (("did not come", gone & own), ("are gone, and untold", untold), ("are here, and for lost there", own & lost)):
            if some:
                problems.append(f"{van}, {stream} of epoch {epoch}: {len(some)} numbers {what}, from {min(some)} to {max(some)}")
