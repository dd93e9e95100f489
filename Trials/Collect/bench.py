# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A broker, a database, and ready-made telemetry that a program writes from the one into the other."""

import asyncio
import pathlib
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Fleet"))

from broker import Broker
from collector import Collector
from postgres import Postgres
from programs import Died, Program, beside, listens

# The samples in a record of the generator, and the number of its connections.
SAMPLES, CONNECTIONS = 80, 8
# The seconds without a new sample after which no more are expected.
PATIENCE = 60


class Bench:
    def __init__(self, options, directory, name):
        self.options, self.directory, self.name = options, pathlib.Path(directory, name), name
        self.directory.mkdir()
        self.broker = Broker("broker", self.directory)
        # The generator is faster than any collector: the broker queues the rest, without a limit.
        with open(self.directory / "broker/mosquitto.conf", "a") as file:
            file.write("max_queued_messages 0\nmax_queued_bytes 0\n")
            file.writelines(f"log_type {kind}\n" for kind in ("error", "warning", "notice", "subscribe"))
        self.generator = None

    async def open(self, postgres):
        self.postgres = postgres
        await postgres.make(self.name)
        self.broker.start()
        await listens(self.broker.port)

    def collector(self, number=1, group=None):
        url = self.postgres.url(database=self.name)
        return Collector(self.options.binary, self.directory, f"collector-{number}", self.broker.port, url, group)

    def floor(self):
        words = [beside(self.options.binary, "floor"), str(self.broker.port), self.postgres.url(database=self.name)]
        program = Program(words, self.directory / "floor.log")
        program.name = "floor"
        return program

    async def subscribed(self, program):
        """Waits until a program has subscribed to telemetry, by the log of the broker."""
        deadline = time.monotonic() + 30
        while f"{program.name} 1 " not in (log := pathlib.Path(self.broker.log).read_text()) or "telemetry" not in log:
            program.check()
            if time.monotonic() > deadline:
                raise Died(f"{program.name} does not subscribe; see {program.log}")
            await asyncio.sleep(0.1)

    def generate(self, vehicles, records, rate=0):
        words = [beside(self.options.binary, "generator"), str(self.broker.port), str(vehicles), str(records), str(rate), str(CONNECTIONS)]
        self.generator = Program(words, self.directory / "generator.log")
        self.generator.start()

    async def done(self, count, *programs):
        """Waits until the database has that many samples, or no more come."""
        size, since = -1, time.monotonic()
        while time.monotonic() < since + PATIENCE:
            for program in (self.broker, *programs):
                program.check()
            if (self.generator.process.poll() or 0) != 0:
                raise Died(f"see {self.generator.log}")
            # A count takes a while, so the rows are counted only once the table has stopped growing.
            ((now,),) = await self.postgres.ask("SELECT pg_relation_size('samples')", self.name)
            if int(now) != size:
                size, since = int(now), time.monotonic()
            elif await self.rows() >= count:
                return
            await asyncio.sleep(0.5)

    async def rows(self):
        return int((await self.postgres.ask("SELECT count(*) FROM samples", self.name))[0][0])

    async def count(self):
        """Samples, different ones, and the seconds between the first and the last commit."""
        statement = (
            "SELECT count(*), count(DISTINCT (series, value)), coalesce(extract(epoch FROM max(pg_xact_commit_timestamp(xmin)) "
            "- min(pg_xact_commit_timestamp(xmin))), 0) FROM samples"
        )
        ((rows, different, seconds),) = await self.postgres.ask(statement, self.name)
        return int(rows), int(different), float(seconds)

    def close(self):
        for program in (self.generator, self.broker):
            if program:
                program.kill()


def server(directory):
    """A server with the defaults of its package; what it writes reaches the disk before a commit."""
    return Postgres(directory, f"{directory}/database")

