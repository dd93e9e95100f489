# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""One agent, with a vehicle and a hostile broker, in a directory of their own."""

import asyncio
import pathlib
import random
import time

from broker import HostileBroker
from forger import Forger
from honest import Honest
from keys import VEHICLE, Keys
from programs import Died, Program, beside, free_port, listens

# One honest command, and what goes with it.
BATCH = 100
# So many at once, and seconds until the next: less than the agent keeps until it has looked at them.
CHUNK, PACE = 25, 0.05
# How many honest commands may be on their way; sixteen may wait.
OPEN_LIMIT = 6
KILLS = 4
# How many are when the agent is killed.
AT_A_KILL = 2
# One flood for so many batches, and how many batches it has.
FLOOD_EVERY, FLOOD = 40, 5
ALLOWED = ["describe", "read_codes", "read_parameters", "read_monitors", "read_vehicle", "select_parameters", "boost"]
ALLOWED += ["record_finding", "resend", "clear_codes", "run_test", "raw_request"]


class Part:
    def __init__(self, options, directory, unsigned_role, level, count):
        self.directory = pathlib.Path(directory)
        (self.directory / "state").mkdir(parents=True)
        self.unsigned_role = options.unsigned_role or unsigned_role
        self.count = count
        self.dice = random.Random(f"{options.seed} {unsigned_role}")
        self.keys = Keys()
        self.forger = Forger(self.keys, self.dice, max(28, count // 250), self.unsigned_role != "none")
        self.honest = Honest(self.keys, self.dice, self.forger)
        self.broker = HostileBroker(level, self.heard)
        self.vehicle_port = free_port()
        self.vehicle = Program(
            [beside(options.binary, "obd-simulator"), "--tcp", f"127.0.0.1:{self.vehicle_port}"]
            + ["--trip", "1", "--pause", "86400", "--obeys-control", "--codes", "P0301,P0420", "--log", self.served],
            f"{directory}/vehicle.log",
        )
        self.agent = Program([options.binary, "run", "--config", f"{directory}/agent.toml"], f"{directory}/agent.log")
        # When the agent was killed, and when it was there again, in milliseconds since the boot.
        self.breaks = []
        self.kills = self.floods = 0
        self.written = self.memory = 0
        self.findings = 0
        self.begin = self.end = 0

    @property
    def served(self):
        return str(self.directory / "served.log")

    @property
    def name(self):
        return f'unsigned_role = "{self.unsigned_role}", MQTT {"5" if self.broker.level == 5 else "3.1.1"}'

    def heard(self, topic, payload):
        if topic == "responses":
            self.honest.answered(payload)
        elif topic == "finding" and payload:
            self.findings += 1

    async def run(self):
        """All of it; the agent's exit status."""
        try:
            async with asyncio.timeout(120 + self.count * 0.02):
                await self.start()
                await self.attack()
                await self.settle()
                self.measure()
                self.end = boot_milliseconds()
                return await self.agent.stop()
        finally:
            for program in (self.agent, self.vehicle):
                program.kill()
            await self.broker.close()

    async def start(self):
        port = await self.broker.start()
        (self.directory / "keys.json").write_text(self.keys.key_set())
        quoted = ", ".join(f'"{name}"' for name in ALLOWED)
        lines = ["[vehicle]", f'name = "{VEHICLE}"', "[adapter]", f'address = "tcp:127.0.0.1:{self.vehicle_port}"']
        lines += ["[mqtt]", f'url = "mqtt://127.0.0.1:{port}"', "[parameters]", "coolant_temperature = 0.5"]
        lines += ["[clock]", 'trust = "system"', "[store]", f'directory = "{self.directory}/state"']
        lines += ["[commands]", f"allow = [{quoted}]", "raw_writing = true", f'unsigned_role = "{self.unsigned_role}"']
        lines += [f'trusted_keys = "{self.directory}/keys.json"']
        (self.directory / "agent.toml").write_text("\n".join(lines) + "\n")
        self.vehicle.start()
        await listens(self.vehicle_port)
        # Its engine must be off.
        await asyncio.sleep(1)
        await self.start_agent()

    async def start_agent(self):
        """Starts it, and waits until it listens to commands and polls."""
        lines = self.lines()
        self.agent.start()
        deadline = time.monotonic() + 30
        while not (self.broker.ready.is_set() and self.lines() > lines + 20):
            if time.monotonic() > deadline:
                raise Died(f"the agent has not come up: {self.agent.log}")
            await asyncio.sleep(0.1)

    def lines(self):
        path = pathlib.Path(self.served)
        return path.read_bytes().count(b"\n") if path.exists() else 0

    async def attack(self):
        self.begin = boot_milliseconds()
        # The last is for the clear of the codes, which nobody else may have cleared until then.
        batches, held = self.count // BATCH - 1, None
        kills = set(self.dice.sample(range(1, batches), min(KILLS, batches // 10)))
        batch = 0
        while batch < batches:
            if batch in kills:
                kills.discard(batch)
                await self.kill()
            if batch % FLOOD_EVERY == FLOOD_EVERY - 1:
                length = min(FLOOD, batches - batch)
                await self.flood(length)
                batch += length
                kills = {max(kill, batch) for kill in kills}
                continue
            order = self.honest.new()
            now, held = [order] if held is None else [order, held], None
            # Some come later than those that were signed after them.
            if len(now) == 1 and self.dice.random() < 0.1:
                now, held = [], order
            await self.batch(now)
            batch += 1
        await self.batch([order for order in (held, self.honest.new(clears=True)) if order])

    async def batch(self, orders):
        messages = [None] * (BATCH - 1) + orders
        self.dice.shuffle(messages)
        for count, order in enumerate(messages):
            if order:
                self.honest.deliver(self.broker, order)
            else:
                payload, how = self.forger.make()
                self.broker.deliver(payload, **how)
            if count % CHUNK == CHUNK - 1:
                await self.broker.flush()
                await asyncio.sleep(PACE)
        self.agent.check()
        for order in orders:
            await self.answered(order)
        while len(self.honest.open) > OPEN_LIMIT:
            await self.pause()

    async def answered(self, order):
        """Waits until all that was sent before the order was looked at, since the order was."""
        while not order.state:
            await self.pause()

    async def pause(self):
        self.agent.check()
        self.honest.deliver_what_is_due(self.broker)
        await asyncio.sleep(0.01)

    async def flood(self, batches):
        """As fast as the agent reads, whatever it has to throw away; the honest ones are in the middle of it."""
        self.floods += 1
        for _ in range(batches):
            for _ in range(BATCH - 1):
                payload, how = self.forger.make()
                self.broker.deliver(payload, **how)
            self.honest.deliver(self.broker, self.honest.new())
            await self.broker.flush()
        while self.honest.is_waiting:
            await self.pause()

    async def kill(self):
        """Kills the agent in the middle of something, and has it hear at its return what it has obeyed before."""
        while self.honest.is_waiting:
            await self.pause()
        for _ in range(AT_A_KILL):
            self.honest.deliver(self.broker, self.honest.new())
        await asyncio.sleep(self.dice.uniform(0, 0.8))
        self.measure()
        self.agent.kill()
        self.kills += 1
        began = boot_milliseconds()
        await asyncio.sleep(self.dice.uniform(0, 1))
        await self.start_agent()
        self.breaks.append((began, boot_milliseconds()))
        again = self.dice.sample(self.forger.done, min(100, len(self.forger.done)))
        for _, _, text in again:
            self.broker.deliver(text, retain=self.dice.random() < 0.3, copies=self.dice.choice((1, 2)))
            self.forger.sent["replayed after a restart"] += 1
        await self.broker.flush()

    async def settle(self):
        """Until every honest command has its last answer, and for a while after it."""
        deadline = time.monotonic() + 60
        while self.honest.is_waiting and time.monotonic() < deadline:
            await self.pause()
        await asyncio.sleep(3)
        # It tells how many it has not told of when it tells of the next.
        self.broker.deliver(b"the last")
        await asyncio.sleep(1)
        self.agent.check()

    def measure(self):
        """What the agent has written to the disk by now, and the most that it had in memory."""
        process = f"/proc/{self.agent.process.pid}"
        numbers = dict(line.split(": ") for line in pathlib.Path(f"{process}/io").read_text().splitlines())
        self.written += int(numbers["write_bytes"])
        text = pathlib.Path(f"{process}/status").read_text()
        self.memory = max(self.memory, int(text.split("VmHWM:")[1].split()[0]) / 1024)


def boot_milliseconds():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000
