# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Broker, vehicle and agent for the trial with Home Assistant, and their configuration."""

import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Contract"))

from receiver import Receiver

CONFIGURATION = """
[adapter]
address = "tcp:127.0.0.1:{adapter}"
[vehicle]
name = "van"
[mqtt]
url = "mqtt://127.0.0.1:{broker}"
[commands]
allow = ["read_codes", "clear_codes", "record_finding", "wake"]
unsigned_role = "specialist"
[store]
directory = "{directory}"
[clock]
trust = "system"
[limit.cold]
title = "Cold engine"
when = "coolant_temperature < 200"
[home_assistant]
clear_button = true
console_url = "https://console.example/"
discovery = "{form}"
"""

# The engine is off after the drive: its codes may be cleared.
DRIVES = ["--trip", "90", "--pause", "86400"]
# The electric car is plugged in after a second, and charged after 30 s.
CHARGES = ["--vehicle", "electric", "--trip", "1", "--pause", "1", "--charge", "300"]
STANDS = ["--trip", "45", "--pause", "86400"]
GOES_ON = ["--trip", "86400"]

# A Kia of 2024.
VIN = "KNDSMVLA7R4700893"

THREE = "engine_speed = 1\ncoolant_temperature = 1\ncontrol_module_voltage = 1\n"
# The model of the vehicle is detected by its answers.
DETECTED = THREE + 'sets = "detect"\ncatalog = "{directory}/signals"\n'

FOURTEEN = "".join(f"{name} = 1\n" for name in (
    "engine_speed", "vehicle_speed", "engine_load", "throttle_position", "coolant_temperature", "intake_air_temperature",
    "control_module_voltage", "fuel_level", "short_term_fuel_trim_bank_1", "intake_manifold_pressure", "timing_advance",
    "mass_air_flow", "ambient_air_temperature", "oil_temperature"))

# The signal set of one model, whose requests every simulated engine answers.
SIGNALS = [
    {"hdr": "7E0", "rax": "7E8", "cmd": {"01": pid}, "freq": 5,
     "signals": [{"id": f"ENGINE_{pid}", "fmt": {"len": 8, "max": 255, "unit": "scalar"}}]}
    for pid in ("04", "05", "0C", "0D")
]

# The values of an electric car, as Hyundai and Kia have them. Only their roles tell Home Assistant what they are.
ELECTRIC = [
    # name, title, formula, unit, role
    ("soc", "Battery", "E / 2", "%", "state_of_charge"),
    ("charging", "Charging", "J.7", None, "charging"),
    ("plugged_in", "Plug", "J.5", None, "plugged_in"),
    ("power", "Battery power", "int16(K, L) * uint16(M, N) / 100000", "kW", "traction_battery_power"),
    ("energy", "Charged energy", "uint32(AO, AP, AQ, AR) / 10", "kWh", "charged_energy"),
]


def electric_parameters():
    """The custom parameters of the electric car, in TOML."""
    lines = []
    for name, title, formula, unit, role in ELECTRIC:
        lines += [f"[custom.{name}]", f'title = "{title}"', 'header = "7E4"', 'request = "220101"',
                  f'formula = "{formula}"', f'role = "{role}"', "interval = 1"]
        lines += [f'unit = "{unit}"'] if unit else []
    return "".join(f"{line}\n" for line in lines)


# As many as a maker's list has.
MANY = 300


def many_parameters():
    """Custom parameters of one reply, which cost the bus one request; the first one has a role."""
    lines = []
    for index in range(MANY):
        lines += [f"[custom.many_{index}]", f'title = "Many {index}"', 'header = "7E4"', 'request = "220101"',
                  f'formula = "E / 2 + {index} * 0"', 'unit = "%"', "interval = 5"]
        lines += ['role = "state_of_charge"'] if index == 0 else []
    return "".join(f"{line}\n" for line in lines)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Failure(Exception):
    pass


@dataclasses.dataclass
class Scene:
    """A vehicle, what its agent polls, and what is seen of both in Home Assistant."""

    name: str
    tale: Callable
    vehicle: list
    parameters: str = THREE
    tables: str = ""
    forms: tuple = ("device", "component")
    # Whether Home Assistant has its recorder.
    records: bool = False


class Stage:
    """Broker, vehicle and agent."""

    def __init__(self, program, directory, form, scene):
        self.program, self.directory, self.scene = program, directory, scene
        self.codes = "P0301,P0420"
        self.broker, self.adapter = free_port(), free_port()
        self.processes = {}
        configuration = CONFIGURATION.format(adapter=self.adapter, broker=self.broker, directory=directory, form=form)
        self.receiver = Receiver()
        configuration += "[parameters]\n" + scene.parameters.format(directory=directory) + scene.tables + self.receiver.overlay(zone=True)
        (directory / "agent.toml").write_text(configuration)
        home = directory / "home"
        home.mkdir()
        (home / "configuration.yaml").write_text("automation: !include automations.yaml\n")
        (home / "automations.yaml").write_text("[]\n")
        (directory / "agent.toml.d").mkdir()
        (directory / "signals").mkdir()
        (directory / "signals/Kia-Trial.json").write_text(json.dumps({"commands": SIGNALS}))
        (directory / "mosquitto.conf").write_text(f"listener {self.broker} 127.0.0.1\nallow_anonymous true\n")

    def overlay(self, text):
        """Changes the configuration for the next start of the agent."""
        (self.directory / "agent.toml.d/overlay.toml").write_text(text)

    def start(self, name):
        mosquitto = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin")
        words = {
            "broker": [mosquitto, "-c", self.directory / "mosquitto.conf"],
            "vehicle": [pathlib.Path(self.program).with_name("obd-simulator"), "--tcp", f"127.0.0.1:{self.adapter}",
                        "--vin", VIN, "--codes", self.codes, *self.scene.vehicle],
            "agent": [self.program, "run", "--config", self.directory / "agent.toml"],
        }[name]
        with open(self.directory / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def stop(self, name, number=signal.SIGTERM):
        process = self.processes.pop(name)
        process.send_signal(number)
        process.wait(20)

    def close(self):
        for name in list(self.processes):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.stop(name, signal.SIGKILL)
