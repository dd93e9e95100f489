# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""M1: root's commands in directories of an agent whose user account was taken over."""

import asyncio
import contextlib
import os
import pathlib
import shutil
import sqlite3
import tempfile

from outside import is_root, run
from victim import Victim

SECRET = b"root:$6$only-for-root:20000:0:99999:7:::\n"
SECONDS = 10
# The user nobody.
USER = 65534


async def play(arena):
    if not is_root():
        arena.row("M1", "root's commands in the agent's directories", "no links are followed", "takes root", None)
        return
    # The agent has left its files.
    victim = Victim(arena, "left", environment={"RUNTIME_DIRECTORY": arena.directory})
    async with victim:
        await victim.connected()
        await asyncio.sleep(2)
        await victim.agent.stop()
    # Where its user can get at them.
    with tempfile.TemporaryDirectory(prefix="attack-tools-") as name:
        place = pathlib.Path(name)
        place.chmod(0o755)
        await asyncio.to_thread(attacked, arena, place, victim.directory / "state")


def attacked(arena, place, state):
    secret = place / "secret"
    secret.write_bytes(SECRET)
    secret.chmod(0o600)
    for file in ("status.json", "transcript.0", "transcript.1", "transcript-before.0"):
        diagnosed(
            arena,
            place,
            f"{file} is a link to what root may read",
            lambda own, file=file: (own / file).symlink_to(secret),
        )
    diagnosed(
        arena,
        place,
        "status.json is a second name of what root may read",
        lambda own: os.link(secret, own / "status.json"),
    )
    diagnosed(arena, place, "status.json is a pipe", lambda own: os.mkfifo(own / "status.json"))
    diagnosed(arena, place, "transcript.0 is a pipe", lambda own: os.mkfifo(own / "transcript.0"))
    diagnosed(arena, place, "status.json is /dev/zero", lambda own: (own / "status.json").symlink_to("/dev/zero"))
    written(arena, place)
    (place / "agent.toml").write_text('[mqtt]\nurl = "mqtt://127.0.0.1:1"\n')
    private = sqlite3.connect(place / "private.db")
    with contextlib.closing(sqlite3.connect(state / "obd-agent.db")) as database:
        database.backup(private)
    with private:
        private.execute("UPDATE vehicles SET name = 'only-for-root'")
        for table in ("last_values", "telemetry", "events"):
            private.execute(f"UPDATE {table} SET vehicle = 'only-for-root'")
    private.close()
    (place / "private.db").chmod(0o600)
    for words in (["vehicles"], ["last", "--vehicle", "only-for-root"], ["export", "--vehicle", "only-for-root"]):
        recorded(
            arena,
            place,
            words,
            "is a link to root's own database",
            lambda own: (own / "obd-agent.db").symlink_to(place / "private.db"),
        )
        recorded(arena, place, words, "is a pipe", lambda own: os.mkfifo(own / "obd-agent.db"))
    for words in (["vehicles"], ["last"], ["export"]):
        owned(arena, place, words, state)


@contextlib.contextmanager
def theirs(place):
    """A directory of the agent's user."""
    own = place / "own"
    own.mkdir()
    own.chmod(0o750)
    try:
        yield own
    finally:
        shutil.rmtree(own)


def give(own):
    for path in (own, *own.iterdir()):
        os.chown(path, USER, USER, follow_symlinks=False)


def diagnosed(arena, place, name, make):
    with theirs(place) as own:
        make(own)
        # Not a second name: what root owns stays root's.
        os.chown(own, USER, USER)
        out = place / "out.tar"
        status, _, took = run(
            [arena.binary, "diagnose", "--directory", own, "--config", "/nonexistent", "--output", out], SECONDS
        )
        data = out.read_bytes() if out.exists() else b""
        out.unlink(missing_ok=True)
        told = b"only-for-root" in data
        arena.row(
            "M1",
            f"root's diagnose, and {name}",
            f"nothing of root's is in the archive; done within {SECONDS} s",
            f"{'it is in the archive' if told else 'not in the archive'}; exit status {status} after {took:.1f} s",
            not told and status is not None,
        )


def written(arena, place):
    """Root stands in their directory, where the archive's name is a link already."""
    with theirs(place) as own:
        target = place / "target"
        target.write_bytes(SECRET)
        (own / "obd-agent-diagnosis.tar").symlink_to(target)
        give(own)
        status, _, _ = run([arena.binary, "diagnose", "--directory", own, "--config", "/nonexistent"], SECONDS, cwd=own)
        same = target.read_bytes() == SECRET
        arena.row(
            "M1",
            "root's diagnose in a directory where the archive's name is a link to root's file",
            "the file stays as it is",
            f"{'the same' if same else 'overwritten'}; exit status {status}",
            same,
        )


def recorded(arena, place, words, name, make):
    with theirs(place) as own:
        make(own)
        give(own)
        status, output, took = run(
            [arena.binary, *words, "--directory", own, "--config", place / "agent.toml"], SECONDS
        )
        told = b"only-for-root" in output and status == 0
        arena.row(
            "M1",
            f"root's {words[0]}, and obd-agent.db {name}",
            f"nothing of it is printed; done within {SECONDS} s",
            f"{'printed' if told else 'not printed'}; exit status {status} after {took:.1f} s",
            not told and status is not None,
        )


def owned(arena, place, words, state):
    """Files of root would keep the agent from its own directory."""
    with theirs(place) as own:
        for file in state.iterdir():
            shutil.copy(file, own)
        give(own)
        status, _, _ = run([arena.binary, *words, "--directory", own, "--config", place / "agent.toml"], SECONDS)
        left = sorted(file.name for file in own.iterdir() if file.stat().st_uid != USER)
        arena.row(
            "M1",
            f"root's {words[0]} on the agent's database",
            "it is done, and no file of root's stays",
            f"exit status {status}; {', '.join(left) or 'none'}",
            status == 0 and not left,
        )
