# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The records of the vehicles by their own databases, and by the database of the collectors."""

import collections
import json

from vans import rows

STREAMS = ("telemetry", "events")
DROPS = "SELECT body FROM events WHERE json_extract(CAST(body AS TEXT), '$.event') = 'records_dropped'"


class Ledger:
    """The records of a vehicle that the broker has acknowledged, and those that it had to drop, by its own database."""

    def __init__(self, van):
        self.van, self.is_small = van.name, van.is_small
        sent = dict(rows(van.database, "SELECT name, sent FROM streams"))
        started = dict(rows(van.database, "SELECT id, started FROM boots"))
        # By (parameter, ECU): milliseconds since 1970 and value, in order. By (epoch, number): the event's name.
        self.samples, self.events = collections.defaultdict(list), {}
        self.numbers = {stream: set() for stream in STREAMS}
        # Records that the agent has sent or not, without the broker's word: they may have come, with all their samples.
        self.waiting, self.unconfirmed = 0, collections.Counter()
        for stream in STREAMS:
            found = rows(van.database, f"SELECT id, boot, at, vehicle, body FROM {stream} ORDER BY id")
            for identifier, boot, at, vehicle, body in found:
                if identifier > sent.get(stream, 0):
                    self.waiting += 1
                    if stream == "telemetry":
                        for name, ecu, dt, value in samples(json.loads(body)):
                            self.unconfirmed[name, ecu, round(value, 4)] += 1
                    continue
                key = identifier >> 30, identifier & (1 << 30) - 1
                self.numbers[stream].add(key)
                if stream == "events":
                    self.events[key] = json.loads(body)["event"]
                    continue
                for name, ecu, dt, value in samples(json.loads(body)):
                    self.samples[name, ecu].append((started[boot] + at + dt, value))
        for series in self.samples.values():
            series.sort()
        # (stream, epoch, first, last).
        told = [json.loads(body) for (body,) in rows(van.database, DROPS)]
        self.dropped = [(one["stream"], one["of_epoch"], one["from"], one["to"]) for one in told]

    @property
    def oldest(self):
        return min((series[0][0] for series in self.samples.values()), default=0)

    def has_told(self, stream, epoch, number):
        """Whether an event says that this record was dropped."""
        return any((stream, epoch) == (name, of) and first <= number <= last for name, of, first, last in self.dropped)


def samples(body):
    """Series, ECU, milliseconds after the record's time, value with the six decimals that are shown."""
    for name, part in body["series"].items():
        at, steps = 0, 0
        for dt, dv in zip(part["dt"], part["dv"]):
            at, steps = at + dt, steps + dv
            yield name, part["ecu"], at, round(steps * part["scale"], 6)


class Collected:
    """The content of the collectors' database."""

    async def read(self, postgres):
        self.samples = collections.defaultdict(list)
        for vehicle, parameter, ecu, at, value in await postgres.ask(
            "SELECT vehicle, parameter, ecu, round(extract(epoch FROM time) * 1000)::bigint, value "
            "FROM samples JOIN series ON series.id = samples.series ORDER BY time, value"
        ):
            self.samples[vehicle, parameter, ecu].append((int(at), float(value)))
        # (vehicle, epoch, number, the event's name), as often as it is there.
        self.events = collections.Counter(
            (vehicle, int(epoch), int(seq), name)
            for vehicle, epoch, seq, name in await postgres.ask("SELECT vehicle, epoch, seq, event FROM events")
        )
        self.trips = collections.Counter(
            (vehicle, int(epoch), int(seq)) for vehicle, epoch, seq in await postgres.ask("SELECT vehicle, epoch, seq FROM trips")
        )
        self.received = await received(postgres)
        return self


async def received(postgres):
    """The numbers that came, and those that are lost, by (vehicle, stream, epoch)."""
    answer = await postgres.ask("SELECT vehicle, stream, epoch, numbers, lost FROM received")
    return {
        (vehicle, stream, int(epoch)): (numbers(came), numbers(lost))
        for vehicle, stream, epoch, came, lost in answer
        if stream in STREAMS
    }


def numbers(text):
    """The set that a text such as 1-5,7 means."""
    found = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


async def missing(vans, postgres):
    """The number of acknowledged records that the database lacks, and of the others that it lacks.

    An agent with nothing to do notes only at its end what the broker has acknowledged last. Numbers that the vehicle has no
    longer count until the database knows that they are lost.
    """
    there = await received(postgres)
    lacking = waiting = 0
    for van in vans:
        for stream in STREAMS:
            sent = (rows(van.database, "SELECT sent FROM streams WHERE name = ?", (stream,)) or [(0,)])[0][0]
            known = collections.defaultdict(set)
            for (name, of, epoch), (came, lost) in there.items():
                if (name, of) == (van.name, stream):
                    known[epoch] |= came | lost
            for (identifier,) in rows(van.database, f"SELECT id FROM {stream}"):
                known[identifier >> 30].add(identifier & (1 << 30) - 1)
                came, _ = there.get((van.name, stream, identifier >> 30), ((), ()))
                if identifier & (1 << 30) - 1 in came:
                    continue
                if identifier > sent:
                    waiting += 1
                else:
                    lacking += 1
            lacking += sum(max(numbers_of, default=0) - len(numbers_of) for numbers_of in known.values())
    return lacking, waiting
