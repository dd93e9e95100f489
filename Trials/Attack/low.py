# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Small weaknesses: control characters in names, huge numbers, token types, a shared client id."""

import asyncio
import contextlib
import fcntl
import hashlib
import hmac
import os
import pathlib
import pty
import shutil
import signal
import struct
import subprocess
import termios
import time

from keys import claims
from outside import Car, Mosquitto, run
from victim import Victim, until

VIN = "1HGCM82633A004352"


async def play(arena):
    await asyncio.to_thread(names, arena)
    await asyncio.to_thread(numbers, arena)
    await types(arena)
    await hashed(arena)
    await asyncio.to_thread(linked, arena)
    await asyncio.to_thread(two, arena)


def names(arena):
    """Names that no broker takes as a level of a topic."""
    for number, name in enumerate(["va\\u0007n", "va\\u001b[31mn", "van\\u007f", "va\\u0085n", "va\\n"]):
        path = arena.directory / f"name-{number}.toml"
        path.write_text(
            f'[vehicle]\nname = "{name}"\n[adapter]\naddress = "tcp:127.0.0.1:1"\n[mqtt]\nurl = "mqtt://127.0.0.1:1"\n'
        )
        status, output, _ = run([arena.binary, "check", "--config", path])
        arena.row("LOW", f'check of a [vehicle] name "{name}"', "refused: 78", f"exit status {status}", status == 78)


def numbers(arena):
    """Values at the end of what a number holds, and a dashboard on a terminal that shows them."""
    with Mosquitto(arena.directory) as broker:
        client = broker.client()
        client.publish("obd/van/availability", b"online", qos=1, retain=True)
        values = (
            "1.7e308",
            "-1.7e308",
            "1.7976931348623157e308",
            "5e-324",
            "-0.0",
            "1e999",
            "9223372036854775808",
            "-9223372036854775809",
        )
        parameters = (
            "engine_speed",
            "vehicle_speed",
            "coolant_temperature",
            "throttle_position",
            "fuel_level",
            "engine_load",
            "odd",
        )
        for parameter in parameters:
            client.publish(f"obd/van/parameters/{parameter}", value(values[0]), qos=1, retain=True)
        broker.settle(client)
        words = [arena.remote, "watch", "--broker", broker.url, "--vehicle", "van"]

        def feed():
            for one in values:
                for parameter in parameters:
                    client.publish(f"obd/van/parameters/{parameter}", value(one), qos=1)
                time.sleep(0.3)

        status = on_terminal([*words, "--for", "5s"], feed, 20)
        arena.row(
            "LOW",
            "±1.7e308 and the like, on a dashboard",
            "it goes on: exit status 0",
            f"exit status {status}",
            status == 0,
        )
        status, _, _ = run([*words, "--for", "3s"])
        arena.row("LOW", "the same, a line for each", "it goes on: exit status 0", f"exit status {status}", status == 0)


def value(number):
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return f'{{"value":{number},"unit":"rpm","time":"{now}","ecu":"7E8","quality":"good"}}'.encode()


def on_terminal(words, act, seconds):
    """Runs a program on a terminal. Returns its exit status: negative for a signal, None after a timeout."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(words[0], [str(word) for word in words])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
    os.set_blocking(terminal, False)
    deadline, acted = time.monotonic() + seconds, False
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            while os.read(terminal, 65536):
                pass
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            os.close(terminal)
            return os.waitstatus_to_exitcode(status)
        if not acted and time.monotonic() > deadline - seconds + 1:
            acted = True
            act()
        time.sleep(0.05)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    os.close(terminal)
    return None


async def types(arena):
    """Tokens that the same key has signed for another purpose."""
    async with Victim(arena, "types") as victim:
        await victim.connected()
        for kind in ("at+jwt", "dpop+jwt", "secevent+jwt", "JOSE+JSON", ""):
            identifier = f"type-{kind or 'none'}".replace("+", "-")
            text = victim.keys.sign(claims(identifier, time.time(), "read_codes", {}), typ=kind)
            victim.broker.deliver(text)
            answer = await until(lambda: victim.broker.last_answer(identifier), 3)
            reason = answer and (answer["reason"] or answer["state"])
            arena.row(
                "LOW",
                f'a signed command with the type "{kind}" in its header',
                "not obeyed",
                reason or "no answer",
                reason != "succeeded",
            )
        for kind in ("JWT", None):
            identifier = f"type-{kind}"
            text = victim.keys.sign(
                claims(identifier, time.time(), "read_codes", {}), **({"typ": kind} if kind else {})
            )
            victim.broker.deliver(text)
            answer = await until(lambda: victim.broker.last_answer(identifier), 10)
            arena.row(
                "LOW",
                f"the same with {kind or 'no type'}: the control",
                "obeyed",
                answer and answer["state"],
                answer and answer["state"] == "succeeded",
            )


async def hashed(arena):
    """A local user who can read /etc/machine-id searches for the VIN."""
    victim = Victim(
        arena, "hashed", simulate=("--trip", "86400", "--vin", VIN), vehicle=['name = ""', 'identity = "hash"']
    )
    async with victim:
        await victim.connected()
        level = next(
            message.topic.split("/")[1] for message in victim.broker.messages if message.topic.endswith("/vehicle")
        )
        found = None
        for path in ("/etc/machine-id", "/etc/hostname"):
            with contextlib.suppress(FileNotFoundError):
                key = pathlib.Path(path).read_text().strip()
                if f"v-{hmac.new(key.encode(), f'obd-agent {VIN}'.encode(), hashlib.sha256).hexdigest()[:16]}" == level:
                    found = path
        arena.row(
            "LOW",
            'identity = "hash", and what all may read',
            "the VIN is not found",
            f"found with {found}" if found else "not found",
            level.startswith("v-") and not found,
        )


def linked(arena):
    """Hardening by the linker."""
    for program in (arena.binary, arena.remote, arena.simulator):
        name = f"the dynamic section of {pathlib.Path(program).name}"
        # "make release" checks those that it has linked; others are linked for the tests of this machine.
        reason = "not linked to be installed" if os.environ.get("OBD_AGENT_PROGRAMS") else "readelf is not installed"
        if os.environ.get("OBD_AGENT_PROGRAMS") or not shutil.which("readelf"):
            arena.row("LOW", name, "BIND_NOW, no RUNPATH", reason, None)
            continue
        text = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
        now, path = "BIND_NOW" in text or "Flags: NOW" in text, "RUNPATH" in text or "RPATH" in text
        arena.row(
            "LOW",
            name,
            "BIND_NOW, no RUNPATH",
            f"{'' if now else 'no '}BIND_NOW, {'' if path else 'no '}RUNPATH",
            now and not path,
        )


def two(arena, seconds=20):
    """Two agents on one machine, which have different client ids by their state directories."""
    with contextlib.ExitStack() as stack:
        broker = stack.enter_context(Mosquitto(arena.directory, "two"))
        programs = []
        for name in ("first", "second"):
            here = arena.directory / name
            here.mkdir()
            car = stack.enter_context(Car(arena, here / "vehicle.log"))
            (here / "agent.toml").write_text(
                f'[vehicle]\nname = "van"\n[adapter]\naddress = "{car.adapter}"\n'
                f'[mqtt]\nurl = "{broker.url}"\n[store]\ndirectory = "{here}"\n'
            )
            with open(here / "agent.log", "wb") as log:
                programs.append(
                    subprocess.Popen(
                        [arena.binary, "run", "--config", here / "agent.toml"],
                        stdin=subprocess.DEVNULL,
                        stdout=log,
                        stderr=log,
                    )
                )
        time.sleep(seconds)
        for program in programs:
            program.terminate()
        for program in programs:
            program.wait(15)
        count = pathlib.Path(broker.log).read_text(errors="replace").count("already connected, closing old connection")
        arena.row(
            "LOW",
            f"two agents for one vehicle on one machine, for {seconds} s",
            "no connection taken over",
            f"{count} taken over",
            count == 0,
        )
