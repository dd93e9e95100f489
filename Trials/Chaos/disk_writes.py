#!/usr/bin/env -S python3 -B
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Counts the bytes that reach the disk for each sample that is recorded, while a vehicle drives.

The program as it is shipped keeps its database on an ext4 file system of its own, on a loop device whose counters
tell what was written: journal and metadata are in it, and all that is still owed when the agent ends. Needs root.
"""

import argparse
import asyncio
import contextlib
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from programs import Died, Program, beside, broker_words, free_port, listens, prepare

# Twenty samples a second over an adapter that is asked eleven times: two ECUs tell speeds.
PARAMETERS = {"engine_speed": 0.22, "vehicle_speed": 0.22} | dict.fromkeys(
    ["engine_load", "throttle_position", "mass_air_flow", "timing_advance", "coolant_temperature", "fuel_level"], 3
)
# The most bytes for a sample, by [store] batch_seconds.
LIMITS = {10: 400, 30: 250}
# The limits are for 20 samples a second: fewer make each dearer, and more would make it cheaper.
RATES = 10, 22


class Case:
    """An agent with a disk of its own."""

    def __init__(self, binary, directory, window, port):
        self.window = window
        self.name = f"batch_seconds = {window}, broker {'there' if port else 'away'}"
        self.home = pathlib.Path(directory, f"{window}-{'there' if port else 'away'}")
        self.disk = self.home / "disk"
        self.disk.mkdir(parents=True)
        self.image = self.home / "image"
        self.vehicle_port = free_port()
        # A port on which nobody listens is a broker that is away.
        self.port = port or free_port()
        words = [beside(binary, "obd-simulator"), "--tcp", f"127.0.0.1:{self.vehicle_port}", "--trip", "86400", "--ecus", "3"]
        self.vehicle = Program(words, f"{self.home}/vehicle.log")
        self.agent = Program([binary, "run", "--config", f"{self.home}/agent.toml"], f"{self.home}/agent.log")
        self.device = None

    def mount(self):
        with open(self.image, "wb") as file:
            file.truncate(1 << 30)
        # As large file systems have it: small ones get smaller blocks, which write less.
        call("mkfs.ext4", "-q", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0", self.image)
        self.device = call("losetup", "--find", "--show", self.image).strip()
        call("mount", "-o", "noatime", self.device, self.disk)
        call("sync", "-f", self.disk)

    async def start(self):
        lines = ["[vehicle]", f'name = "van-{self.window}"', "[adapter]"]
        lines += [f'address = "tcp:127.0.0.1:{self.vehicle_port}"', "[mqtt]"]
        lines += [f'url = "mqtt://127.0.0.1:{self.port}"', "[parameters]"]
        lines += [f"{name} = {every}" for name, every in PARAMETERS.items()]
        lines += ["[clock]", 'trust = "system"']
        lines += ["[store]", f'directory = "{self.disk}"', f"batch_seconds = {self.window}"]
        (self.home / "agent.toml").write_text("\n".join(lines) + "\n")
        self.vehicle.start()
        await listens(self.vehicle_port)
        self.agent.start()

    def written(self):
        """The bytes that the device was given; 512 to a sector, whatever the device."""
        name = os.path.basename(self.device)
        return int(pathlib.Path(f"/sys/block/{name}/stat").read_text().split()[6]) * 512

    def samples(self):
        """How many samples are in the database."""
        database = sqlite3.connect(f"file:{self.disk}/obd-agent.db?mode=ro", uri=True)
        bodies = [json.loads(body) for (body,) in database.execute("SELECT body FROM telemetry")]
        database.close()
        return sum(len(series["dt"]) for body in bodies for series in body["series"].values())

    def close(self):
        self.agent.kill()
        self.vehicle.kill()
        for words in (["umount", self.disk], ["losetup", "--detach", self.device]):
            if self.device:
                subprocess.run(words, check=False)


def call(*words):
    return subprocess.run(words, check=True, text=True, capture_output=True).stdout


async def run(binary, directory, minutes):
    port = free_port()
    pathlib.Path(directory, "mosquitto.conf").write_text(broker_words(port))
    broker = Program(["mosquitto", "-c", f"{directory}/mosquitto.conf"], f"{directory}/broker.log")
    cases = [Case(binary, directory, window, there) for window in LIMITS for there in (port, None)]
    with contextlib.ExitStack() as stack:
        stack.callback(broker.kill)
        broker.start()
        await listens(port)
        for case in cases:
            stack.callback(case.close)
            case.mount()
            await case.start()
        # The start has its own price, which is paid once: what it can carry is found out in the first minute.
        await asyncio.sleep(75)
        before = [(case.written(), case.samples()) for case in cases]
        await asyncio.sleep(minutes * 60)
        for case in cases:
            case.agent.check()
        return all([await count(case, *then, minutes) for case, then in zip(cases, before)])


async def count(case, bytes_before, samples_before, minutes):
    # The end of the agent puts the log into the file: nothing is owed after it.
    await case.agent.stop()
    call("sync", "-f", case.disk)
    samples = case.samples() - samples_before
    written = case.written() - bytes_before
    each = written / max(1, samples)
    rate = samples / minutes / 60
    print(f"{case.name:36} {samples} samples, {rate:.1f}/s; {written / 1024:.0f} KiB:", end=" ")
    print(f"{each:.0f} bytes a sample, at most {LIMITS[case.window]}", flush=True)
    return each <= LIMITS[case.window] and RATES[0] <= rate <= RATES[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--minutes", type=float, default=5)
    chosen = parser.parse_args()
    prepare()
    directory = tempfile.mkdtemp(prefix="disk-writes-")
    is_fine = False
    try:
        is_fine = asyncio.run(run(str(pathlib.Path(chosen.binary).resolve()), directory, chosen.minutes))
    except (Died, subprocess.CalledProcessError) as error:
        print(f"disk-writes: {error} {getattr(error, 'stderr', '')}", file=sys.stderr)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    sys.exit(0 if is_fine else 1)


main()
