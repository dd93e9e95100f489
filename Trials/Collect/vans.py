# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The vehicles: each an agent as it is shipped, with a recording, a machine's id and a simulated vehicle of its own."""

import asyncio
import json
import pathlib
import sqlite3
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Chaos"))

from programs import Died, Program, beside, free_port, listens

# Seconds between two readings, by parameter: some four samples a second of a vehicle.
PARAMETERS = {"engine_speed": 0.5, "vehicle_speed": 1, "engine_load": 1, "coolant_temperature": 5}
# All agents run on one machine, whose id would be the identity of all of them.
MACHINE = 'mount --bind "$0" /etc/machine-id && exec "$@"'
# The bytes of records that wait in the van with the small store, and the limit of that store in MiB.
BACKLOG, LIMIT = 3 << 20, 1


class Van:
    def __init__(self, binary, directory, number, broker_port):
        self.name = f"van-{number}"
        self.home = pathlib.Path(directory, self.name)
        self.state = self.home / "state"
        self.state.mkdir(parents=True)
        # The first van has a store that is too small.
        self.is_small = number == 1
        self.port, self.broker_port = free_port(), broker_port
        words = [beside(binary, "obd-simulator"), "--tcp", f"127.0.0.1:{self.port}", "--seed", str(number)]
        # Every other one makes short trips, each with its event.
        words += ["--trip", "40", "--pause", "1", "--parking", "60"] if number % 2 == 0 else ["--trip", "600"]
        self.vehicle = Program(words, f"{self.home}/vehicle.log")
        machine = self.home / "machine-id"
        machine.write_text(f"{number:032x}\n")
        words = ["unshare", "--map-root-user", "--mount", "sh", "-c", MACHINE, str(machine)]
        self.agent = Program([*words, binary, "run", "--config", f"{self.home}/agent.toml"], f"{self.home}/agent.log")

    @property
    def database(self):
        return self.state / "obd-agent.db"

    async def start(self):
        lines = ["[vehicle]", f'name = "{self.name}"', "[adapter]", f'address = "tcp:127.0.0.1:{self.port}"', "[mqtt]"]
        lines += [f'url = "mqtt://127.0.0.1:{self.broker_port}"', "[parameters]"]
        lines += [f"{name} = {every}" for name, every in PARAMETERS.items()]
        lines += ["[clock]", 'trust = "system"', "[uplink]", "batch_seconds = 1", 'live = "on-demand"']
        lines += ["[parking]", "after_seconds = 30", "look_seconds = 10", "probes_per_hour = 12", 'quiet = ""']
        lines += ["[home_assistant]", "enabled = false", "[store]", f'directory = "{self.state}"', "batch_seconds = 1"]
        lines += [f"limit_mib = {LIMIT}"] if self.is_small else []
        (self.home / "agent.toml").write_text("\n".join(lines) + "\n")
        self.vehicle.start()
        await listens(self.port)
        self.agent.start()
        if self.is_small:
            await self.overfill()

    async def overfill(self):
        """Restarts the agent with more unsent records of an earlier drive than its store may keep."""
        deadline = time.monotonic() + 20
        while not (self.database.exists() and rows(self.database, "SELECT id FROM telemetry LIMIT 1")):
            self.agent.check()
            if time.monotonic() > deadline:
                raise Died(f"{self.name} records nothing; see {self.home}")
            await asyncio.sleep(0.2)
        await self.agent.stop()
        body = json.dumps({"series": {"engine_speed": {"ecu": "7E8", "scale": 0.25, "dt": [1] * 1000, "dv": [1] * 1000}}})
        database = sqlite3.connect(self.database)
        (last,) = database.execute("SELECT max(id) FROM telemetry").fetchone()
        started = (time.time_ns() // 1_000_000) - 86_400_000
        boot = database.execute("INSERT INTO boots (boot, started, trusted) VALUES ('before', ?, 1)", (started,)).lastrowid
        database.executemany(
            "INSERT INTO telemetry (id, boot, at, vehicle, body, precious) VALUES (?, ?, ?, ?, ?, 0)",
            ((last + one, boot, one * 10_000, self.name, body.encode()) for one in range(1, BACKLOG // len(body) + 1)),
        )
        database.commit()
        database.close()
        self.agent.start()

    def check(self):
        self.vehicle.check()
        self.agent.check()

    def kill(self):
        self.agent.kill()
        self.vehicle.kill()


def rows(path, statement, values=()):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=20)
    try:
        return database.execute(statement, values).fetchall()
    except sqlite3.OperationalError:
        # The agent has not made its tables yet.
        return []
    finally:
        database.close()
