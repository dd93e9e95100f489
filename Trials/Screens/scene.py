# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A vehicle that drives, its agent and a broker, in a directory of their own, with a network that can stall."""

import asyncio
import pathlib
import signal
import sys

TRIALS = pathlib.Path(__file__).resolve().parents[1]
# Console first: its "stage" is the one that its "browser" needs.
sys.path += [str(TRIALS / folder) for folder in ("Console", "Collect", "Chaos")]

from programs import Program, beside, broker_words, free_port, listens
from wire import Wire

# Seconds between two readings. All are short, so that one limit of age counts for all of them.
PARAMETERS = {
    "vehicle_speed": 0.5, "engine_speed": 0.5, "coolant_temperature": 1, "fuel_level": 1, "control_module_voltage": 1,
    "engine_load": 1, "mass_air_flow": 1,
}
NAME = "van"
# Seconds until the agent publishes: its longest wait before it connects again is a minute.
START = 75


class Scene:
    def __init__(self, binary, directory, seed, page=None):
        self.binary, self.directory, self.page = binary, pathlib.Path(directory), page
        self.directory.mkdir(exist_ok=True)
        self.broker_port, self.page_port, self.vehicle_port = free_port(), free_port(), free_port()
        # In front of the broker: for the agent, for those who look on, and for the browser.
        self.wires = {"agent": Wire(self.broker_port), "viewers": Wire(self.broker_port), "page": Wire(self.page_port)}
        self.ports = {}
        self.broker = Program(["mosquitto", "-c", f"{directory}/mosquitto.conf"], f"{directory}/broker.log")
        words = [beside(binary, "obd-simulator"), "--tcp", f"127.0.0.1:{self.vehicle_port}", "--trip", "86400"]
        self.vehicle = Program([*words, "--seed", str(seed)], f"{directory}/vehicle.log")
        self.configuration = f"{directory}/agent.toml"
        self.agent = Program([binary, "run", "--config", self.configuration], f"{directory}/agent.log")

    @property
    def broker_url(self):
        """The broker, as those who look on reach it."""
        return f"mqtt://127.0.0.1:{self.ports['viewers']}"

    async def start(self):
        self.ports = {name: await wire.start() for name, wire in self.wires.items()}
        lines = broker_words(self.broker_port)
        if self.page:
            lines += f"listener {self.page_port} 127.0.0.1\nsocket_domain ipv4\nprotocol websockets\nhttp_dir {self.page}\n"
        (self.directory / "mosquitto.conf").write_text(lines)
        (self.directory / "state").mkdir()
        lines = ["[vehicle]", f'name = "{NAME}"', "[adapter]", f'address = "tcp:127.0.0.1:{self.vehicle_port}"', "[mqtt]"]
        lines += [f'url = "mqtt://127.0.0.1:{self.ports["agent"]}"', "[parameters]"]
        lines += [f"{name} = {interval}" for name, interval in PARAMETERS.items()]
        lines += ["[uplink]", "batch_seconds = 1", "[clock]", 'trust = "system"', "[home_assistant]", "enabled = false"]
        lines += ["[store]", f'directory = "{self.directory}/state"', "batch_seconds = 1"]
        pathlib.Path(self.configuration).write_text("\n".join(lines) + "\n")
        await self.start_broker()
        await self.start_vehicle()
        self.agent.start()
        await self.published()

    async def start_broker(self):
        self.broker.start()
        await listens(self.broker_port)

    async def start_vehicle(self):
        self.vehicle.start()
        await listens(self.vehicle_port)

    async def published(self, seconds=START):
        """Until the agent publishes a value; what the broker has kept does not count."""
        words = ["-h", "127.0.0.1", "-p", str(self.broker_port), "-R", "-t", f"obd/{NAME}/parameters/+", "-C", "1", "-W", str(seconds)]
        quiet = asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec("mosquitto_sub", *words, stdout=quiet, stderr=quiet)
        try:
            if await process.wait():
                raise TimeoutError(f"the agent publishes no value within {seconds} s; see {self.directory}/agent.log")
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()

    def stall(self, *names):
        """Nothing flows any more on these wires; the sockets stay."""
        for name in names:
            self.wires[name].up.clear()
            self.wires[name].down.clear()

    def flow(self):
        for wire in self.wires.values():
            wire.up.set()
            wire.down.set()

    def freeze_vehicle(self):
        self.vehicle.process.send_signal(signal.SIGSTOP)

    def thaw_vehicle(self):
        self.vehicle.process.send_signal(signal.SIGCONT)

    def check(self):
        for program in (self.broker, self.vehicle, self.agent):
            program.check()

    def close(self):
        for program in (self.agent, self.vehicle, self.broker):
            program.kill()
