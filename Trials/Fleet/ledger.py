# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""What came of every vehicle: each record by its number, live values, and who came online when."""

import collections
import datetime
import json
import threading
import zlib

# Where numbered records come; what else is below a vehicle is retained.
STREAMS = ("telemetry", "events", "responses")


class Stream:
    """The numbers of one stream of one run of one agent: from 1, one more each time."""

    def __init__(self):
        self.seen = set()
        self.highest = 0
        self.twice = 0
        self.late = 0

    def take(self, number):
        """Whether this number is new."""
        if number in self.seen:
            self.twice += 1
            return False
        if number < self.highest:
            self.late += 1
        self.seen.add(number)
        self.highest = max(self.highest, number)
        return True

    @property
    def missing(self):
        return self.highest - len(self.seen)


class Ledger:
    """Hears several brokers at the same time; a record counts once, wherever it came from."""

    def __init__(self):
        self.lock = threading.Lock()
        self.streams = collections.defaultdict(Stream)
        # By kind, telemetry or parameters or status: how many messages came, and their bytes with all headers.
        self.messages = collections.Counter()
        self.bytes = collections.Counter()
        self.samples = 0
        # Seconds from the reading to its arrival: of the newest sample of a batch, of a live value.
        self.record_delays = []
        self.live_delays = []
        self.live_last = {}
        # (when, broker, vehicle, online or offline), as they came.
        self.arrivals = []
        self.system = []

    def hear(self, broker, at, topic, payload, is_retained, size):
        with self.lock:
            if topic.startswith("$SYS/"):
                self.system.append((at, topic, payload))
                return
            _, vehicle, kind, *rest = topic.split("/")
            if is_retained:
                return
            self.messages[kind] += 1
            self.bytes[kind] += size
            if kind in STREAMS:
                self.take(kind, at, json.loads(zlib.decompress(payload) if rest == ["zlib"] else payload))
            elif kind == "parameters" and rest == ["engine_speed"] and payload:
                self.take_live(vehicle, at, json.loads(payload))
            elif kind == "availability":
                self.arrivals.append((at, broker, vehicle, payload.decode()))

    def take(self, kind, at, record):
        stream = self.streams[record["agent"], record["epoch"], kind]
        if not stream.take(record["seq"]) or kind != "telemetry":
            return
        parts = record["series"].values()
        self.samples += sum(len(part["dt"]) for part in parts)
        newest = moment(record["t0"]) + max(sum(part["dt"]) for part in parts) / 1000
        self.record_delays.append(at - newest)

    def take_live(self, vehicle, at, value):
        read = moment(value["time"])
        # A topic speaks once a second at most: what was read sooner waits by design, and does not count.
        if read >= self.live_last.get(vehicle, read) + 1:
            self.live_delays.append(at - read)
        self.live_last[vehicle] = at

    def begin(self):
        """Forgets what is measured, and keeps what is counted: the numbers."""
        with self.lock:
            self.messages.clear()
            self.bytes.clear()
            self.samples = 0
            self.record_delays, self.live_delays = [], []

    def total(self, what):
        with self.lock:
            return sum(getattr(stream, what) for stream in self.streams.values())

    @property
    def records(self):
        """How many different records came."""
        with self.lock:
            return sum(len(stream.seen) for stream in self.streams.values())

    def back(self, since, broker):
        """When each vehicle first came online at a broker, in seconds after a moment; in order."""
        with self.lock:
            first = {}
            for at, where, vehicle, word in self.arrivals:
                if at > since and where == broker and word == "online" and not vehicle.startswith("agent-"):
                    first.setdefault(vehicle, at - since)
        return sorted(first.values())


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def rank(values, share):
    """The value that so many of the sorted values do not exceed; 0 where there are none."""
    return values[min(len(values) - 1, int(len(values) * share))] if values else 0
