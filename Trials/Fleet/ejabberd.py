# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Two nodes of ejabberd, a clustered broker that Debian has: on loopback, with a port mapper and databases of their own."""

import asyncio
import os
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Chaos"))

from programs import Died, Program, free_port, listens

COOKIE = "fleet"
# Everybody may come in under any name. Without the limits a consumer gets no more than a thousand retained topics, and a
# queue of five thousand.
CONFIGURATION = """\
hosts: [localhost]
loglevel: warning
auth_method: anonymous
anonymous_protocol: login_anon
listen: [{{port: {port}, ip: 127.0.0.1, module: mod_mqtt}}]
modules: {{mod_mqtt: {{db_type: mnesia, session_expiry: 1 hour, match_retained_limit: infinity, max_queue: 100000}}}}
"""


def home():
    """The folder of ejabberd's libraries; nothing where Debian's package is not installed."""
    found = sorted(pathlib.Path("/usr/lib").glob("*/ejabberd-*/ebin"))
    return found[-1].parents[1] if found else None


class Cluster:
    def __init__(self, directory):
        self.port = free_port()
        self.mapper = Program(["epmd", "-address", "127.0.0.1", "-port", str(self.port)], f"{directory}/epmd.log")
        self.nodes = [Node(name, directory, self.port) for name in ("first", "second")]

    async def start(self):
        self.mapper.start()
        await listens(self.port)
        for node in self.nodes:
            node.start()
            await listens(node.port, 60)
        first, second = self.nodes
        await second.control("join_cluster", first.address)
        # It starts anew for that.
        await asyncio.sleep(2)
        await listens(second.port, 60)
        members = await second.control("list_cluster")
        if len(members.split()) != 2:
            raise Died(f"the cluster has {members}")

    def kill(self):
        for program in (*self.nodes, self.mapper):
            program.kill()


class Node(Program):
    def __init__(self, name, directory, mapper):
        self.name = name
        self.port = free_port()
        self.address = f"{name}@127.0.0.1"
        home_of_node = pathlib.Path(directory, name)
        home_of_node.mkdir()
        (home_of_node / "ejabberd.yml").write_text(CONFIGURATION.format(port=self.port))
        self.surroundings = {
            "ERL_EPMD_PORT": str(mapper), "ERL_LIBS": str(home()), "HOME": str(home_of_node),
            "EJABBERD_CONFIG_PATH": f"{home_of_node}/ejabberd.yml", "EJABBERD_LOG_PATH": f"{home_of_node}/ejabberd.log",
        }
        words = self.words(self.address) + ["-mnesia", "dir", f'"{home_of_node}/database"', "-s", "ejabberd"]
        super().__init__(words, f"{home_of_node}/erlang.log")

    def words(self, address, *more):
        variables = [f"{name}={value}" for name, value in self.surroundings.items()]
        loopback = ["-kernel", "inet_dist_use_interface", "{127,0,0,1}"]
        return ["env", *variables, "erl", "-start_epmd", "false", "-name", address, "-setcookie", COOKIE, *loopback, "-noinput", *more]

    @property
    def url(self):
        return f"mqtt://127.0.0.1:{self.port}"

    async def control(self, *words):
        """Does what ejabberdctl does, which would use, and end, the machine's own port mapper."""
        line = self.words(f"control-{os.getpid()}@127.0.0.1", "-hidden", "-s", "ejabberd_ctl", "-extra", self.address, *words)
        done = await asyncio.to_thread(subprocess.run, line, capture_output=True, text=True, timeout=60)
        if done.returncode:
            raise Died(f"{words}: {done.stdout}{done.stderr}")
        return done.stdout
