# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A vehicle, an agent and a broker, with a proxy between the last two, in a directory of their own."""

import pathlib
import time

from disk import Disk
from programs import Program, beside, broker_words, free_port, listens
from proxy import Proxy
from truth import PARAMETERS, next_number

# What a kill of the agent may cost, in seconds, as the configuration has it.
STORE_WINDOW = 2
# How long samples are gathered for a record: longer, so that a batch is always open when the disk is written.
BATCH = 5
INTERVAL = 0.2


class Stage:
    def __init__(self, binary, directory, witness):
        self.simulator = beside(binary, "obd-simulator")
        self.directory = pathlib.Path(directory)
        self.disk = Disk(f"{directory}/state")
        self.broker_port = free_port()
        self.vehicle_port = 0
        self.witness = witness
        self.proxy = Proxy(self.broker_port, witness)
        self.broker = Program(["mosquitto", "-c", f"{directory}/mosquitto.conf"], f"{directory}/broker.log")
        self.vehicle = Program(self.vehicle_words, f"{directory}/vehicle.log")
        self.agent = Program(
            lambda: self.disk.arguments([binary, "run", "--verbose", "--config", f"{directory}/agent.toml"]),
            f"{directory}/agent.log",
        )
        # When the agent was killed, and the vehicle, in milliseconds since the boot.
        self.agent_ends, self.vehicle_ends = [], []

    @property
    def served(self):
        return str(self.directory / "served.log")

    def vehicle_words(self):
        return (
            [self.simulator, "--tcp", f"127.0.0.1:{self.vehicle_port}", "--trip", "86400"]
            + ["--ramp", str(next_number(self.served)), "--log", self.served]
        )

    async def start(self):
        port = await self.proxy.start()
        (self.directory / "mosquitto.conf").write_text(broker_words(self.broker_port))
        self.broker.start()
        await listens(self.broker_port)
        self.vehicle_port = free_port()
        self.vehicle.start()
        await listens(self.vehicle_port)
        lines = ["[vehicle]", 'name = "van"', "[adapter]", f'address = "tcp:127.0.0.1:{self.vehicle_port}"']
        lines += ["[mqtt]", f'url = "mqtt://127.0.0.1:{port}"', "[parameters]"]
        lines += [f"{name} = {INTERVAL}" for name in PARAMETERS.values()]
        lines += ["[clock]", 'trust = "system"', "[uplink]", f"batch_seconds = {BATCH}"]
        lines += ["[store]", f'directory = "{self.disk.path}"', f"batch_seconds = {STORE_WINDOW}", "limit_mib = 16"]
        (self.directory / "agent.toml").write_text("\n".join(lines) + "\n")
        self.agent.start()

    def kill_agent(self):
        self.agent.kill()
        self.agent_ends.append(boot_milliseconds())

    def kill_vehicle(self):
        self.vehicle.kill()
        self.vehicle_ends.append(boot_milliseconds())

    def check(self):
        for program in (self.broker, self.vehicle, self.agent):
            program.check()

    def close(self):
        for program in (self.agent, self.vehicle, self.broker):
            program.kill()
        self.disk.close()


def boot_milliseconds():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000
