# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Vehicles, a broker, collectors and a database, with a network between any two of them, in a directory of their own."""

import asyncio
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Chaos"))

from collector import Collector
from disk import Disk
from postgres import Postgres, user
from programs import Program, broker_words, free_port, listens
from vans import Van
from wire import Wire

# The size of the database's disk: 35 MB of its own, a small log, and the rows of an hour.
DISK = 256 << 20
SETTINGS = ["max_wal_size=16MB", "min_wal_size=2MB", "shared_buffers=32MB"]


class Scene:
    def __init__(self, options, directory, collectors):
        self.options, self.directory = options, pathlib.Path(directory)
        self.disk = Disk(f"{directory}/disk", DISK, user())
        self.postgres = Postgres(directory, self.disk.path, SETTINGS)
        self.broker_port = free_port()
        self.is_persistent = False
        self.broker = Program(self.broker_words, f"{directory}/broker.log")
        # Between vehicles and broker, collectors and broker, collectors and database.
        self.wires = {name: Wire(self.broker_port) for name in ("vehicles", "collectors")}
        self.wires["database"] = Wire(self.postgres.port)
        self.count = collectors
        self.vans, self.collectors = [], []

    def broker_words(self):
        """The words that start the broker, with or without snapshots that survive a kill."""
        lines = broker_words(self.broker_port) + "max_queued_messages 0\n"
        if self.is_persistent:
            lines = lines.replace("persistence false", "persistence true") + f"autosave_interval 2\npersistence_location {self.directory}/\n"
        (self.directory / "mosquitto.conf").write_text(lines)
        return ["mosquitto", "-c", f"{self.directory}/mosquitto.conf"]

    async def start(self):
        ports = {name: await wire.start() for name, wire in self.wires.items()}
        await self.postgres.create()
        binary = self.options.binary
        self.vans = [Van(binary, self.directory, number + 1, ports["vehicles"]) for number in range(self.options.vehicles)]
        await asyncio.gather(*(van.start() for van in self.vans))
        # The van with the small store drops records before a broker is there to take them.
        await asyncio.sleep(5)
        self.broker.start()
        await listens(self.broker_port)
        group = "archive" if self.count > 1 else None
        url = self.postgres.url(ports["database"])
        self.collectors = [
            Collector(binary, self.directory, f"collector-{number + 1}", ports["collectors"], url, group) for number in range(self.count)
        ]
        for collector in self.collectors:
            collector.start()

    def check(self):
        for program in (self.broker, *self.vans, *self.collectors):
            program.check()

    def close(self):
        for program in (*self.collectors, *self.vans, self.broker, self.postgres):
            program.kill()
        self.disk.close()
