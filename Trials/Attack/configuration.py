# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Broken and oversized configurations. `check` refuses them at once, and the running agent goes on."""

import asyncio
import os
import pathlib
import signal

from keys_of_json import marks
from outside import run
from victim import Victim

# The most that one may take, in seconds and MiB.
SECONDS, MEMORY = 10, 200
GOOD = b'[mqtt]\nurl = "mqtt://127.0.0.1:1"\n[adapter]\naddress = "tcp:127.0.0.1:1"\n'
DEEP = 100_000
WAYS = {
    "nothing": b"",
    "a null byte": GOOD + b"\x00",
    "bytes that are no UTF-8": GOOD + b'[vehicle]\nname = "\xff\xfe"\n',
    "an overlong UTF-8": GOOD + b'[vehicle]\nname = "\xc0\xaf"\n',
    "a surrogate": GOOD + b'[vehicle]\nname = "\\uD800"\n',
    "a character beyond Unicode": GOOD + b'[vehicle]\nname = "\\U00110000"\n',
    "a byte order mark of UTF-16": "\ufeff[mqtt]".encode("utf-16"),
    "an array that is 100,000 deep": b"a = " + b"[" * DEEP,
    "the same, closed": b"a = " + b"[" * DEEP + b"]" * DEEP,
    "inline tables that are as deep": b"a = " + b"{a=" * DEEP,
    "a key with as many dots": b"a" + b".a" * DEEP + b" = 1",
    "a table with as many dots": b"[a" + b".a" * DEEP + b"]",
    "as many tables": b"".join(b"[t%d]\n" % number for number in range(DEEP)),
    "as many keys": GOOD + b"[parameters]\n" + b"".join(b"k%d = 1\n" % number for number in range(DEEP)),
    "as many elements": GOOD + b"[parameters]\nsets = [" + b'"x",' * DEEP + b"]",
    "as many arrays of tables": b"[[a]]\n" * DEEP,
    "a string of 20 MB": GOOD + b'[vehicle]\nname = "' + b"x" * 20_000_000 + b'"\n',
    "a comment of 20 MB": GOOD + b"#" * 20_000_000,
    "20 MB of empty lines": b"\n" * 20_000_000 + GOOD,
    "a number of a million digits": GOOD + b"[store]\nlimit_mib = " + b"9" * 1_000_000,
    "a fraction of a million digits": GOOD + b"[parameters]\nengine_speed = 0." + b"1" * 1_000_000,
    "an exponent of a million digits": GOOD + b"[parameters]\nengine_speed = 1e" + b"9" * 1_000_000,
    "a number beyond 64 bits": GOOD + b"[store]\nlimit_mib = 9223372036854775808\n",
    "the least number": GOOD + b"[store]\nlimit_mib = -9223372036854775808\n",
    "an interval that is no number": GOOD + b"[parameters]\nengine_speed = nan\n",
    "an interval without an end": GOOD + b"[parameters]\nengine_speed = inf\n",
    "a negative interval": GOOD + b"[parameters]\nengine_speed = -0.5\n",
    "1e308": GOOD + b"[parameters]\nengine_speed = 1e308\n",
    "a key twice": GOOD + b'[mqtt]\nurl = "x"\n',
    "a table that is a value": b"mqtt = 1\n" + GOOD,
    "a dotted key into a value": GOOD + b"[vehicle]\nname.x = 1\n",
    "a string that does not end": GOOD + b'[vehicle]\nname = "x\n',
    "lines that do not end": GOOD + b'[vehicle]\nname = """x\n',
    "a line end within an inline table": GOOD + b"[vehicle]\nalias = { a = 1,\n b = 2 }\n",
    "a lone CR": GOOD.replace(b"\n", b"\r"),
    "a date that there is not": GOOD + b"[vehicle]\nname = 2026-02-30T25:61:61Z\n",
    "a key of combining marks": GOOD + f'[parameters]\n"{marks(65_000)}" = 1\n'.encode(),
    "400 of such keys": GOOD
    + ("[parameters]\n" + "".join(f'"{marks(200)}{number}" = 1\n' for number in range(400))).encode(),
    "__proto__ and constructor": GOOD + b"[__proto__]\nconstructor = 1\n",
    "a formula that is 100,000 deep": GOOD
    + b'[custom.x]\nrequest = "22AABB"\nheader = "7E4"\ninterval = 1\nformula = "'
    + b"(" * DEEP
    + b'"\n',
    "variables within variables": GOOD + b'[vehicle]\nname = "${${machine_id}}"\n',
    "a regular value with ../": GOOD + b'[mqtt]\nusername = "x"\npassword_file = "../../../../etc/shadow"\n',
}


async def play(arena):
    await asyncio.to_thread(checked, arena)
    await reloaded(arena)


def checked(arena):
    for number, (name, data) in enumerate(WAYS.items()):
        path = arena.directory / f"{number}.toml"
        path.write_bytes(data)
        checked_file(arena, name, path)
    folder = arena.directory / "folder.toml.d"
    folder.mkdir()
    (arena.directory / "folder.toml").write_bytes(GOOD)
    for name, make in {
        "a pipe in agent.toml.d": os.mkfifo,
        "a loop of links in agent.toml.d": lambda place: place.symlink_to(place),
        "/dev/zero in agent.toml.d": lambda place: place.symlink_to("/dev/zero"),
        "a directory in agent.toml.d": pathlib.Path.mkdir,
    }.items():
        place = folder / "x.toml"
        make(place)
        checked_file(arena, name, arena.directory / "folder.toml")
        place.rmdir() if place.is_dir() else place.unlink()


def checked_file(arena, name, path):
    # Data may take as much as may stay in memory, and as much again: what takes more ends with a signal.
    words = ["sh", "-c", f'ulimit -d $(({MEMORY} * 1024)); exec "$@"', "sh", arena.binary, "check", "--config", path]
    status, output, took = run(words, SECONDS)
    arena.row(
        "TOML",
        f"a configuration with {name}",
        f"check ends with 66, 69 or 78 within {SECONDS} s, and few words",
        f"exit status {status} after {took:.1f} s, {len(output)} bytes",
        status in (66, 69, 78) and len(output) < 65_536,
    )


async def reloaded(arena):
    """The same files come while the agent runs, which is told to read them."""
    async with Victim(arena, "reloaded") as victim:
        await victim.connected()
        text = victim.configuration.read_bytes()
        for data in WAYS.values():
            victim.configuration.write_bytes(data)
            victim.agent.process.send_signal(signal.SIGHUP)
            await asyncio.sleep(0.2)
        victim.configuration.write_bytes(text)
        victim.agent.process.send_signal(signal.SIGHUP)
        reason = await victim.obeys("after", "describe")
        arena.row(
            "TOML",
            f"{len(WAYS)} such configurations and SIGHUP, while the agent runs",
            "it goes on, and obeys",
            f"{reason}; alive: {victim.is_alive}",
            reason == "succeeded" and victim.is_alive,
        )
