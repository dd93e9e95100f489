# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""An agent that is attacked, with its vehicle and a broker of ours, in a directory of their own."""

import asyncio
import dataclasses
import json
import os
import pathlib
import time

import mqtt
from broker import HostileBroker
from keys import VEHICLE, Keys, claims
from programs import Died, Program, free_port, listens

ALLOWED = (
    "describe",
    "read_codes",
    "read_parameters",
    "read_monitors",
    "read_vehicle",
    "select_parameters",
    "boost",
    "record_finding",
    "resend",
    "clear_codes",
    "wake",
    "run_test",
    "raw_request",
)


@dataclasses.dataclass
class Message:
    """A message of the agent, and the size of its packet in bytes."""

    time: float
    topic: str
    payload: bytes
    size: int


class Broker(HostileBroker):
    """The hostile broker, which also keeps what it receives."""

    def __init__(self, level=5):
        super().__init__(level, lambda topic, payload: None)
        self.messages = []

    def receive(self, kind, flags, body, writer):
        if kind == mqtt.PUBLISH:
            topic, _, payload = mqtt.publish(flags, body, self.level)
            self.messages.append(Message(time.monotonic(), topic, payload, len(body) + 4))
        super().receive(kind, flags, body, writer)

    def told(self, path):
        """The payloads on the vehicle's topic of that path, the newest at the end."""
        return [
            message.payload for message in self.messages if message.topic.split("/", 2)[2] == path and message.payload
        ]

    def answers(self, identifier=None):
        """The responses on the vehicle's own topic, of one command or of all."""
        answers = [json.loads(payload) for payload in self.told("responses")]
        return [answer for answer in answers if identifier is None or answer["id"] == identifier]

    def last_answer(self, identifier):
        """The last word about a command, once there is one: what it is, and why."""
        for answer in self.answers(identifier):
            if answer["state"] in ("succeeded", "failed", "refused"):
                return answer
        return None


class Victim:
    def __init__(self, arena, name, *, level=5, simulate=(), environment=None, **tables):
        """`simulate` are options of the simulated vehicle; `tables` are lines of the configuration, by table."""
        self.binary = arena.binary
        self.simulator = arena.simulator
        self.directory = arena.directory / name
        self.directory.mkdir()
        self.keys = Keys()
        self.broker = Broker(level)
        self.vehicle_port = free_port()
        self.adapter = f"tcp:127.0.0.1:{self.vehicle_port}"
        self.vehicle = self.car(self.vehicle_port, "vehicle", *(simulate or ("--trip", "86400")))
        names = [f"{name}={value}" for name, value in (environment or {}).items()]
        words = [*(["env", *names] if names else []), self.binary, "run", "--config", str(self.configuration)]
        self.agent = Program(words, f"{self.directory}/agent.log")
        self.tables = tables
        self.programs = [self.agent, self.vehicle]
        self.url = ""

    def car(self, port, name, *options):
        """A simulated vehicle, which keeps a log of what it serves."""
        words = [
            self.simulator,
            "--tcp",
            f"127.0.0.1:{port}",
            *options,
            "--log",
            f"{self.directory}/{name}.served",
        ]
        return Program(words, f"{self.directory}/{name}.log")

    @property
    def configuration(self):
        return self.directory / "agent.toml"

    def served(self, name="vehicle"):
        """The replies of a vehicle's ECUs: milliseconds since the boot, ECU, bytes."""
        path = self.directory / f"{name}.served"
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        return [
            (int(words[0]), words[1], bytes.fromhex(words[2])) for words in map(str.split, lines) if len(words) == 3
        ]

    def write(self):
        """Writes the configuration."""
        (self.directory / "keys.json").write_text(self.keys.key_set())
        tables = {
            "vehicle": [f'name = "{VEHICLE}"'],
            "adapter": [f'address = "{self.adapter}"'],
            "mqtt": [f'url = "{self.url}"'],
            "parameters": ["coolant_temperature = 0.5", "engine_speed = 0.5"],
            "clock": ['trust = "system"'],
            "store": [f'directory = "{self.directory}/state"'],
            "parking": ['quiet = ""', "minimum_voltage = 0"],
            "commands": [
                f"allow = {json.dumps(ALLOWED)}",
                'unsigned_role = "none"',
                f'trusted_keys = "{self.directory}/keys.json"',
            ],
        }
        for name, lines in self.tables.items():
            names = {line.split("=")[0].strip() for line in lines}
            tables[name] = [line for line in tables.get(name, []) if line.split("=")[0].strip() not in names] + list(
                lines
            )
        text = "".join(f"[{name}]\n" + "".join(f"{line}\n" for line in lines) for name, lines in tables.items())
        self.configuration.write_text(text)

    async def __aenter__(self):
        (self.directory / "state").mkdir()
        self.url = self.url or f"mqtt://127.0.0.1:{await self.broker.start()}"
        self.write()
        self.vehicle.start()
        await listens(self.vehicle_port)
        self.agent.start()
        return self

    async def __aexit__(self, *_):
        for program in self.programs:
            program.kill()
        await self.broker.close()

    async def connected(self):
        """Waits until the vehicle is known, and its values come."""
        await self.until(lambda: self.broker.ready.is_set() and self.broker.told("vehicle"), "the vehicle", 40)
        return self

    async def until(self, condition, what, seconds=20):
        """Waits; complains where it takes too long, or the agent ends."""
        result = await until(condition, seconds, self.agent.check)
        if not result:
            raise Died(f"{self.directory.name}: {what} has not come in {seconds} s")
        return result

    def command(self, identifier, name, arguments=None, role="engineer", **others):
        """A signed command, for the named vehicle unless `aud` is another."""
        return self.keys.sign(claims(identifier, time.time(), name, arguments or {}, role, **others), role)

    async def obeys(self, identifier, name, arguments=None, *, seconds=20, vehicle=VEHICLE, **others):
        """Sends a signed command; the reason of the last answer, or its state where there is none, or nothing."""
        text = self.command(identifier, name, arguments, **({"aud": vehicle} | others))
        self.broker.deliver(text, topic=f"obd/{vehicle}/commands")
        answer = await until(lambda: self.broker.last_answer(identifier), seconds)
        return answer and (answer["reason"] or answer["state"])

    @property
    def seconds(self):
        """The processor's time that the agent has taken."""
        fields = pathlib.Path(f"/proc/{self.agent.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def is_alive(self):
        return self.agent.process is not None and self.agent.process.poll() is None


async def until(condition, seconds, check=lambda: None):
    """Waits for a true result of the condition and returns it; returns the last result after a timeout."""
    deadline = time.monotonic() + seconds
    while not (result := condition()) and time.monotonic() < deadline:
        check()
        await asyncio.sleep(0.02)
    return result


def boot_milliseconds():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000
