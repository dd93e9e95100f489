# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""What came past the proxy: every numbered record that the broker was given, and every one that it acknowledged."""

import dataclasses
import datetime
import json
import time
import zlib

STREAMS = ("telemetry", "telemetry/zlib", "events", "responses")


@dataclasses.dataclass
class Record:
    """One record, as it came first."""

    stream: str
    epoch: int
    seq: int
    payload: dict
    acknowledged: bool = False

    @property
    def key(self):
        return self.stream, self.epoch, self.seq


class Witness:
    def __init__(self):
        self.records = {}
        self.published = 0
        self.repeated = 0
        self.goodbyes = 0
        self.problems = []
        self.last = {}
        self.heard = time.monotonic()

    def publish(self, topic, payload):
        """A PUBLISH was forwarded to the broker; its record, or nothing where it has no number."""
        stream = topic.split("/", 2)[2]
        if stream not in STREAMS:
            return None
        self.heard = time.monotonic()
        self.published += 1
        text = zlib.decompress(payload) if stream.endswith("/zlib") else payload
        payload = json.loads(text)
        stream = stream.split("/")[0]
        key = stream, payload["epoch"], payload["seq"]
        known = self.records.get(key)
        if known:
            self.repeated += 1
            if undated(known.payload) != undated(payload):
                self.problems.append(f"{key} came again with other contents: {known.payload} then {payload}")
            elif apart(known.payload, payload) > 5:
                self.problems.append(f"{key} came again with another time: {date(known.payload)}, {date(payload)}")
            return known
        record = self.records[key] = Record(stream, payload["epoch"], payload["seq"], payload)
        before = self.last.get(stream)
        if before and before > (record.epoch, record.seq):
            self.problems.append(f"{key} came first after {before}: the order is not kept")
        self.last[stream] = record.epoch, record.seq
        return record


def undated(payload):
    """What must be the same each time: the date is worked out anew, to the millisecond that the clocks tell."""
    return {name: value for name, value in payload.items() if name not in ("t0", "time")}


def date(payload):
    text = payload.get("t0") or payload["time"]
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def apart(one, other):
    """The milliseconds between the dates of two payloads."""
    return abs((date(one) - date(other)).total_seconds()) * 1000


def samples(payload):
    """What a telemetry record holds: parameter, milliseconds since 1970, value."""
    start = round(date(payload).timestamp() * 1000)
    for series, part in payload["series"].items():
        at, steps = start, 0
        for dt, dv in zip(part["dt"], part["dv"]):
            at, steps = at + dt, steps + dv
            yield series, at, steps * part["scale"]
