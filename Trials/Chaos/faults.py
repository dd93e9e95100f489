# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, and how it comes right again."""

import asyncio

from programs import listens


class Faults:
    """One at a time for each thing that can fail; several of them at the same time."""

    TARGETS = {
        "agent killed": "agent",
        "broker killed": "broker",
        "vehicle killed": "vehicle",
        "network reset": "network",
        "network dead": "network",
        "acknowledgements lost": "network",
        "disk full": "disk",
    }
    # What a full disk has not taken is in the agent's memory only, and would die with it.
    RIVALS = {"agent": {"agent", "disk"}, "disk": {"agent", "disk"}}

    def __init__(self, stage, dice, longest):
        self.stage = stage
        self.dice = dice
        self.longest = longest
        self.broken = {}

    def choose(self):
        """The name of a fault that can happen now; nothing where everything is broken already."""
        for task in self.broken.values():
            if task.done():
                task.result()
        busy = {target for target, task in self.broken.items() if not task.done()}
        free = [name for name, target in self.TARGETS.items() if not busy & self.RIVALS.get(target, {target})]
        if not free:
            return None
        name = self.dice.choice(sorted(free))
        seconds = self.dice.uniform(0.2, self.longest)
        self.broken[self.TARGETS[name]] = asyncio.create_task(getattr(self, name.replace(" ", "_"))(seconds))
        return f"{name} for {seconds:.1f} s"

    async def mended(self):
        await asyncio.gather(*self.broken.values())

    async def agent_killed(self, seconds):
        self.stage.kill_agent()
        await asyncio.sleep(min(seconds, 2))
        self.stage.agent.start()

    async def broker_killed(self, seconds):
        self.stage.broker.kill()
        await asyncio.sleep(seconds)
        self.stage.broker.start()
        await listens(self.stage.broker_port)

    async def vehicle_killed(self, seconds):
        self.stage.kill_vehicle()
        await asyncio.sleep(seconds)
        self.stage.vehicle.start()

    async def network_reset(self, seconds):
        self.stage.proxy.cut()

    async def network_dead(self, seconds):
        await self.silence(self.stage.proxy, "both", seconds)

    async def acknowledgements_lost(self, seconds):
        await self.silence(self.stage.proxy, "down", seconds)

    async def silence(self, proxy, way, seconds):
        gates = {"both": (proxy.up, proxy.down), "up": (proxy.up,), "down": (proxy.down,)}[way]
        for gate in gates:
            gate.clear()
        await asyncio.sleep(seconds)
        # Half of the time the connection is still good for what waited.
        if self.dice.random() < 0.5:
            proxy.cut()
        for gate in gates:
            gate.set()

    async def disk_full(self, seconds):
        process = self.stage.agent.process.pid
        self.stage.disk.fill(process)
        await asyncio.sleep(seconds)
        self.stage.disk.empty(process)
        # Until the agent has written again.
        await asyncio.sleep(5)
