# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Mosquitto, with the limits of etc/mosquitto and without its TLS."""

import collections
import os
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Chaos"))

from programs import Program, free_port

SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "etc/mosquitto/mosquitto.conf"
LIMITS = ("persistence ", "autosave_interval", "persistent_client_expiration", "max_queued", "max_packet_size", "max_inflight")


class Broker(Program):
    def __init__(self, name, directory):
        self.name = name
        self.port = free_port()
        home = pathlib.Path(directory, name)
        home.mkdir()
        lines = [line for line in SAMPLE.read_text().splitlines() if line.startswith(LIMITS)]
        lines += [f"listener {self.port} 127.0.0.1", "allow_anonymous true", f"persistence_location {home}/", "sys_interval 5"]
        # Started by root it would become another user, who can't read the directory.
        lines += ["user root"] if os.getuid() == 0 else []
        (home / "mosquitto.conf").write_text("\n".join(lines) + "\n")
        super().__init__(["mosquitto", "-c", f"{home}/mosquitto.conf"], f"{home}/broker.log")

    @property
    def url(self):
        return f"mqtt://127.0.0.1:{self.port}"

    def most_connections(self):
        """The most vehicles that connected in one second, by the broker's own log."""
        found = re.findall(r"^(\d+): New client connected from \S+ as obd-", pathlib.Path(self.log).read_text(), re.MULTILINE)
        seconds = collections.Counter(found)
        return max(seconds.values(), default=0)
