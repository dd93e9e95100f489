# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The programs of a run, each in a process of its own; all of them end with the run, by their process ids."""

import asyncio
import contextlib
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time


class Program:
    """One program that is started, killed, and started again."""

    def __init__(self, arguments, log):
        # Words, or what gives them at each start.
        self.arguments = arguments
        self.log = log
        self.process = None

    def start(self):
        words = self.arguments() if callable(self.arguments) else self.arguments
        with open(self.log, "ab") as log:
            # In a session of its own, so that Ctrl-C reaches the run alone, which ends it.
            self.process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    async def stop(self, seconds=10):
        """Ends it in good order; its exit status, or nothing where it had to be killed."""
        self.process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + seconds
        while self.process.poll() is None:
            if time.monotonic() > deadline:
                self.kill()
                return None
            await asyncio.sleep(0.05)
        status, self.process = self.process.returncode, None
        return status

    def check(self):
        """Complains where it has ended by itself."""
        if self.process and self.process.poll() is not None:
            raise Died(f"{self.log} ended with {self.process.returncode}")


class Died(Exception):
    pass


def beside(binary, name):
    """The path of another program of ours, which is in the folder of the agent's."""
    return str(pathlib.Path(binary).with_name(name))


def prepare():
    """Ended from outside, a run ends its programs; where Debian has Mosquitto is not on everybody's path."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(143))
    os.environ["PATH"] += ":/usr/local/sbin:/usr/sbin"


def broker_words(port):
    """Mosquitto's configuration; started by root it would become another user, who can't read the directory."""
    user = "root" if os.getuid() == 0 else "nobody"
    return f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nuser {user}\n"


# The ports that this process has given away: some are not bound yet when the next one is looked for.
given_ports = set()


def free_port():
    """A port below those that the kernel gives to clients, so that it is still free at the next start."""
    for port in random.sample([port for port in range(21000, 32000) if port not in given_ports], 100):
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            given_ports.add(port)
            return port
    raise Died("no port is free")


async def listens(port, seconds=10):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
            return
        await asyncio.sleep(0.05)
    raise Died(f"nobody listens on port {port}")


def run_to_the_end(name, run, chosen, advice):
    """Runs `run` in a directory, which stays where something was wrong, and ends the process with what came of it."""
    prepare()
    directory = chosen.keep or tempfile.mkdtemp(prefix=f"{name}-")
    if chosen.keep:
        os.makedirs(directory)
    chosen.binary = str(pathlib.Path(chosen.binary).resolve())
    is_fine = False
    try:
        is_fine = asyncio.run(run(chosen, directory))
    except (Died, TimeoutError) as error:
        print(f"{name}: {error or 'it takes too long'}", file=sys.stderr)
    finally:
        if not is_fine and not chosen.keep:
            print(f"{name}: failed; logs: {directory}; {advice}", file=sys.stderr)
        elif not chosen.keep:
            shutil.rmtree(directory)
    sys.exit(0 if is_fine else 1)
