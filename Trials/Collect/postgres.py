# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server with a cluster of its own on a port of loopback: started, asked, killed with all its processes."""

import asyncio
import contextlib
import os
import pathlib
import pwd
import signal
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Chaos"))

from programs import Died, Program, free_port

DATABASE = "fleet"


def home():
    """The folder of the newest server's programs, which Debian does not put on the path."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda one: int(one.parts[-3]))
    if not found:
        raise Died("PostgreSQL is not installed. Try: apt-get install postgresql")
    return found[-1].parent


def user():
    """The words before a command that make it one of the server's user, because the server refuses to be root."""
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []


class Postgres(Program):
    def __init__(self, directory, data, settings=()):
        self.port = free_port()
        self.data = pathlib.Path(data)
        if user():
            # Its user must reach what is its own.
            pathlib.Path(directory).chmod(0o711)
            owner = pwd.getpwnam("postgres")
            os.makedirs(data, exist_ok=True)
            os.chown(data, owner.pw_uid, owner.pw_gid)
        words = [*user(), f"{home()}/postgres", "-D", f"{self.data}/cluster"]
        # The time of each commit tells how late a row was.
        given = [f"port={self.port}", "listen_addresses=127.0.0.1", "unix_socket_directories=", "track_commit_timestamp=on"]
        words += [word for setting in (*given, *settings) for word in ("-c", setting)]
        super().__init__(words, f"{directory}/postgres.log")

    async def create(self):
        """Makes the cluster, with small files of its log so that a small disk is enough, and the database."""
        words = [*user(), f"{home()}/initdb", "-D", f"{self.data}/cluster", "-U", "postgres", "-A", "trust"]
        words += ["-E", "UTF8", "--no-locale", "--no-sync", "--wal-segsize=1"]
        done = await asyncio.to_thread(subprocess.run, words, text=True, capture_output=True, cwd="/")
        if done.returncode:
            raise Died(f"initdb: {done.stderr}")
        self.start()
        await self.ready()
        await self.make(DATABASE)

    async def make(self, database):
        await self.ask(f"CREATE DATABASE {database}", "postgres")

    def url(self, port=None, database=DATABASE):
        return f"postgresql://postgres@127.0.0.1:{port or self.port}/{database}"

    async def ready(self, seconds=60):
        """Waits until it answers; starts it again where it has ended by itself, as a service manager would."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.process is None or self.process.poll() is not None:
                self.start()
            with contextlib.suppress(Died):
                await self.ask("SELECT 1", "postgres")
                return
            await asyncio.sleep(0.2)
        raise Died(f"PostgreSQL does not answer; see {self.log}")

    async def ask(self, statement, database=DATABASE):
        """The rows of an answer, each a list of texts."""
        words = ["psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--field-separator=\x1f"]
        words += ["--set=ON_ERROR_STOP=1", "--command", statement, self.url(database=database)]
        environment = os.environ | {"PGCONNECT_TIMEOUT": "5"}
        done = await asyncio.to_thread(subprocess.run, words, text=True, capture_output=True, env=environment)
        if done.returncode:
            raise Died(f"psql: {done.stderr.strip()}")
        return [line.split("\x1f") for line in done.stdout.splitlines()]

    @property
    def processes(self):
        """The process ids of the server and of its children."""
        if self.process is None:
            return []
        return [self.process.pid, *children(self.process.pid)]

    def crash(self):
        """Kills one of its processes, upon which it ends all of them and recovers."""
        with contextlib.suppress(ProcessLookupError, IndexError):
            os.kill(children(self.process.pid)[-1], signal.SIGKILL)

    def kill(self):
        # Each child has a session of its own, and a server does not start while one of another life is there.
        mine = self.processes[1:]
        super().kill()
        for one in mine:
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)

    async def restart(self, seconds):
        """Ends it in good order, the connections of others too, and starts it a while later."""
        self.process.send_signal(signal.SIGINT)
        deadline = time.monotonic() + 30
        while self.process.poll() is None and time.monotonic() < deadline:
            await asyncio.sleep(0.1)
        self.kill()
        await asyncio.sleep(seconds)
        self.start()
        await self.ready()


def children(process):
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == process:
                found.append(int(stat.parent.name))
    return sorted(found)
