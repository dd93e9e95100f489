# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The vehicles of a run; and what processes take of the machine."""

import asyncio
import os
import pathlib
import re
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Trials/Chaos"))

from programs import Program, beside

TICKS = os.sysconf("SC_CLK_TCK")
PROGRESS = re.compile(r"vehicles (\d+), online (\d+), records (\d+), waiting (\d+), dropped (\d+)")


# As many as one process takes.
MOST = 240
# Those that an agent reads unless told otherwise.
PARAMETERS = [
    "engine_speed", "vehicle_speed", "engine_load", "throttle_position", "coolant_temperature", "intake_air_temperature",
    "control_module_voltage", "fuel_level",
]


class Vehicles:
    """`obd-simulator --fleet`, with one of the samples of etc/obd-agent as its configuration."""

    def __init__(self, options, directory, urls):
        configuration = pathlib.Path(directory, "fleet.toml")
        configuration.write_text((ROOT / f"etc/obd-agent/{options.sample}.toml").read_text())
        # What differs stands beside it, as an operator would have it.
        own = pathlib.Path(directory, "fleet.toml.d/50-run.toml")
        own.parent.mkdir()
        rates = "[parameters]\n" + "".join(f"{name} = {options.every}\n" for name in PARAMETERS) if options.every else ""
        listed = ", ".join(f'"{url}"' for url in urls)
        password = pathlib.Path(directory, "password")
        password.write_text("any")
        password.chmod(0o600)
        own.write_text(f'[mqtt]\nurl = [{listed}]\nusername = "fleet"\npassword_file = "{password}"\n[clock]\ntrust = "system"\n{rates}')
        words = [beside(options.binary, "obd-simulator"), "--config", str(configuration)]
        # All are alike, and not one of them is nearly empty.
        share = -(-options.vehicles // -(-options.vehicles // MOST))
        self.programs = [
            Program([*words, "--fleet", str(min(share, options.vehicles + 1 - first)), "--first", str(first)], f"{directory}/from-{first}.log")
            for first in range(1, options.vehicles + 1, share)
        ]

    def start(self):
        for program in self.programs:
            program.start()

    def check(self):
        for program in self.programs:
            program.check()

    async def stop(self, seconds):
        await asyncio.gather(*(program.stop(seconds) for program in self.programs))

    def kill(self):
        for program in self.programs:
            program.kill()

    @property
    def progress(self):
        """What they have told last: how many run, are online; the records, those that wait, those that were dropped."""
        told = [PROGRESS.findall(pathlib.Path(program.log).read_text()) for program in self.programs]
        return tuple(sum(int(one[-1][place]) for one in told if one) for place in range(5))

    @property
    def usage(self):
        return Usage([program.process.pid for program in self.programs])


class Usage:
    """The processor time of some processes since this was made, and their memory now."""

    def __init__(self, processes):
        self.processes = processes
        self.began = time.monotonic()
        self.before = self.seconds

    @property
    def seconds(self):
        words = [pathlib.Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split() for one in self.processes]
        return sum(int(each[11]) + int(each[12]) for each in words) / TICKS

    @property
    def share(self):
        """Of one core, in percent."""
        return (self.seconds - self.before) / (time.monotonic() - self.began) * 100

    @property
    def memory(self):
        """KiB that are in memory, and those of them that are their own."""
        texts = [pathlib.Path(f"/proc/{one}/status").read_text() for one in self.processes]
        return tuple(sum(int(text.split(f"{name}:")[1].split()[0]) for text in texts) for name in ("VmRSS", "RssAnon"))
