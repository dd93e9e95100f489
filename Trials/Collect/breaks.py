# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong between the vehicles and the database, and how it comes right again."""

import asyncio
import pathlib
import signal
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Chaos"))

from faults import Faults
from programs import listens


class Breaks(Faults):
    TARGETS = {
        "broker killed": "broker",
        "broker killed and its disk lost": "broker",
        "collector killed": "collectors",
        "collector stopped": "collectors",
        "all collectors killed": "collectors",
        "database killed": "database",
        "database crashed": "database",
        "database restarted": "database",
        "database disk full": "database",
        "vehicles cut off": "wire of vehicles",
        "vehicles unanswered": "wire of vehicles",
        "collectors cut off": "wire of collectors",
        "collectors unheard": "wire of collectors",
        "database cut off": "wire of database",
        "database unheard": "wire of database",
    }
    RIVALS = {}

    async def broker_killed(self, seconds):
        self.stage.broker.kill()
        await asyncio.sleep(seconds)
        # Half of the time it comes back with its last snapshot, which may be old.
        self.stage.is_persistent = self.dice.random() < 0.5
        self.stage.broker.start()
        await listens(self.stage.broker_port)

    async def broker_killed_and_its_disk_lost(self, seconds):
        self.stage.broker.kill()
        (self.stage.directory / "mosquitto.db").unlink(missing_ok=True)
        await asyncio.sleep(min(seconds, 2))
        self.stage.broker.start()
        await listens(self.stage.broker_port)

    async def collector_killed(self, seconds):
        collector = self.dice.choice(self.stage.collectors)
        collector.kill()
        await asyncio.sleep(seconds)
        collector.start()

    async def all_collectors_killed(self, seconds):
        for collector in self.stage.collectors:
            collector.kill()
        await asyncio.sleep(seconds)
        for collector in self.stage.collectors:
            collector.start()

    async def collector_stopped(self, seconds):
        collector = self.dice.choice(self.stage.collectors)
        collector.process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(seconds)
        collector.process.send_signal(signal.SIGCONT)

    async def database_killed(self, seconds):
        self.stage.postgres.kill()
        await asyncio.sleep(seconds)
        await self.stage.postgres.ready()

    async def database_crashed(self, seconds):
        self.stage.postgres.crash()
        await self.stage.postgres.ready()

    async def database_restarted(self, seconds):
        await self.stage.postgres.restart(min(seconds, 3))

    async def database_disk_full(self, seconds):
        self.stage.disk.fill(*self.stage.postgres.processes)
        await asyncio.sleep(seconds)
        self.stage.disk.empty(*self.stage.postgres.processes)
        # A server that could not write its log has ended by itself.
        await self.stage.postgres.ready()

    async def vehicles_cut_off(self, seconds):
        await self.cut(self.stage.wires["vehicles"], seconds)

    async def vehicles_unanswered(self, seconds):
        await self.silence(self.stage.wires["vehicles"], "down", seconds)

    async def collectors_cut_off(self, seconds):
        await self.cut(self.stage.wires["collectors"], seconds)

    async def collectors_unheard(self, seconds):
        await self.silence(self.stage.wires["collectors"], "up", seconds)

    async def database_cut_off(self, seconds):
        await self.cut(self.stage.wires["database"], seconds)

    async def database_unheard(self, seconds):
        await self.silence(self.stage.wires["database"], self.dice.choice(["up", "down"]), seconds)

    async def cut(self, wire, seconds):
        """Resets all connections; half of the time, no data passes for a while after that."""
        wire.cut()
        if self.dice.random() < 0.5:
            await self.silence(wire, "both", seconds)
