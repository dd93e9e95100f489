#!/usr/bin/env python3
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Upgrades to packages that are broken on purpose, in a Debian system in a folder: which version runs in the end?

dpkg, apt and unattended-upgrades are real, and so are the package's own scripts. systemd and the agent are played, by a clock
that passes as fast as the trial can: a week is a second. The power fails at any moment of dpkg, in both directions.

Usage: upgrade.py GOOD.deb [--cuts N] [--seed N] [--only WORD] [--cache FOLDER]        (as root)
"""

import argparse
import ctypes
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import decisions
from root import HERE, KEEP, MEMORY, WITHIN, Root, make_base, run

OLD, NEW, NEXT = "1.0", "1.1", "1.2"
DATA = "var/lib/obd-agent/obd-agent.db"


class Failure(Exception):
    """Something is not as it must be."""


def expect(fact, text):
    """Fails unless a fact holds."""
    if not fact:
        raise Failure(text)


class Case:
    """A system with the old version, which does its work, and the packages."""

    def __init__(self, base, work, packages):
        self.packages = packages
        self.root = Root(base, work)
        root = self.root
        root.run("dpkg", "--install", root.copy_in(packages["old"]))
        (root.path / DATA).parent.mkdir(parents=True, exist_ok=True)
        (root.path / DATA).write_bytes(b"what was recorded")
        (root.path / "etc/obd-agent/agent.toml").write_text("# of this machine\n", encoding="utf-8")
        # The machine's own change of a file that is not the package's.
        root.run("systemctl", "start", "obd-agent.service")
        root.live()

    def upgrade(self, name):
        """Installs a package with dpkg."""
        self.root.run("dpkg", "--install", self.root.copy_in(self.packages[name]))

    def check(self, version, pins=(), failed=None, reason=None):
        """The version is whole, nothing recorded is lost, apt and the agent know what they must."""
        root = self.root
        expect(root.installed == ("installed", version), f"{root.installed} is installed, not {version}")
        audit = root.run("dpkg", "--audit") + root.run("dpkg", "--verify", "obd-agent", fails=True)
        expect(not audit.strip(), f"dpkg complains: {audit}")
        expect((root.path / DATA).read_bytes() == b"what was recorded", "the database has changed")
        expect((root.path / "etc/obd-agent/agent.toml").exists(), "the configuration is gone")
        expect(root.pins == list(pins), f"apt is forbidden {root.pins}, not {list(pins)}")
        told = root.told()
        expect(told.get("failed") == failed, f"told is {told}")
        if failed:
            expect(told["version"] == version, f"told is {told}")
            expect(reason in told["reason"], f"the reason is {told['reason']!r}, not {reason!r}")
        left = {path.name for path in (root.path / MEMORY).glob("*")} - {"rolled-back"}
        expect(not left, f"left is {left}")


def broken(kind, reason, limit):
    """A version that is broken is replaced in time, and another one is accepted afterwards."""
    def body(case):
        root = case.root
        case.upgrade(kind)
        began = root.now
        words = root.guard(limit)
        expect(f"goes back to {OLD}" in words, f"it does not go back within {limit} s: {words[-500:]}")
        root.guard()
        case.check(OLD, [NEW], NEW, reason)
        told = root.told()
        return f"back after {int(told['id'].rsplit('-', 1)[1]) - began} s: {told['reason']}"
    return body


def healthy(case):
    """A good version stays, and nothing of the judgment does."""
    case.upgrade("healthy")
    began = case.root.now
    case.root.guard()
    case.check(NEW)
    return f"accepted after {case.root.now - began} s"


def elsewhere(case):
    """If the version before does no better, the cause lies elsewhere, and the new one may be tried again."""
    case.root.write("away", "broker\n")
    case.upgrade("healthy")
    words = case.root.guard()
    case.check(OLD, [], NEW, "broker not reached")
    expect("does no better" in words, words[-500:])
    # The broker was away for the version before, too: it is no measure any more.
    case.root.live()
    case.upgrade("healthy")
    case.root.guard()
    expect(case.root.installed == ("installed", NEW), f"{case.root.installed}")
    return "went back once, then stayed"


def later(case):
    """What was out of reach at the upgrade has as long as the version before is kept, also over boots."""
    root = case.root
    root.write("away", "vehicle\n")
    root.live(WITHIN + 120)
    case.upgrade("healthy")
    root.guard(2000)
    expect((root.path / MEMORY / "previous.deb").exists(), "the version before is kept no more")
    root.boot()
    root.write("away", "")
    root.guard()
    case.check(NEW)
    case.root.write("away", "")
    return "kept until the vehicle was there"


def never(case):
    """What stays out of reach for as long leads back."""
    root = case.root
    root.write("away", "vehicle\n")
    root.live(WITHIN + 120)
    case.upgrade("healthy")
    began = root.now
    root.guard()
    expect(KEEP <= root.now - began <= KEEP + WITHIN + 300, f"it took {root.now - began} s")
    case.check(OLD, [NEW], NEW, f"vehicle not reached within {KEEP} s")
    return f"back after {root.now - began} s"


def unattended(case):
    """unattended-upgrades installs what fails, not a second time, and the next version."""
    root, packages = case.root, case.packages
    root.serve(packages["old"], packages["mute"])
    root.run("unattended-upgrade", "--verbose")
    expect(root.installed == ("installed", NEW), f"{root.installed}: nothing was upgraded")
    root.guard()
    case.check(OLD, [NEW], NEW, "broker not reached")
    words = root.run("unattended-upgrade", "--verbose", "--debug")
    expect(root.installed == ("installed", OLD), f"{root.installed}: installed again: {words[-1500:]}")
    root.live()
    root.serve(packages["old"], packages["mute"], packages["next"])
    root.run("unattended-upgrade", "--verbose")
    expect(root.installed == ("installed", NEXT), f"{root.installed}: the next version was not installed")
    root.guard()
    expect(root.installed == ("installed", NEXT) and not root.pins, f"{root.installed} {root.pins}")
    return "one attempt of the bad version, then the next one"


def chain(case):
    """While a version is on trial, a later one goes back to the last version that has shown that it works."""
    case.root.write("away", "vehicle\n")
    case.root.live(WITHIN + 120)
    case.upgrade("healthy")
    case.root.guard(1500)
    case.root.run("dpkg", "--install", case.root.copy_in(case.packages["next-no-start"]))
    case.root.guard()
    case.check(OLD, [NEXT], NEXT, "ended unexpectedly")
    return "back over two versions"


def by_hand(case):
    """A downgrade by hand is not judged, and an upgrade that an owner does not want judged is not either."""
    case.root.run("dpkg", "--install", case.root.copy_in(case.packages["next"]))
    case.root.guard()
    case.upgrade("no-start")
    expect(not (case.root.path / MEMORY / "state").exists(), "a downgrade is judged")
    case.root.write("settings", f"rollback=no\nwithin={WITHIN}\nkeep={KEEP}\n")
    case.root.run("dpkg", "--install", case.root.copy_in(case.packages["old"]))
    case.root.run("systemctl", "restart", "obd-agent.service")
    case.root.live()
    case.upgrade("no-start")
    case.root.guard()
    case.check(NEW)
    return "left as the owner wants"


def full(case):
    """Without room for the version before there is no upgrade."""
    root = case.root
    (root.path / MEMORY).mkdir(exist_ok=True)
    run("mount", "-t", "tmpfs", "-o", "size=1M", "tmpfs", root.path / MEMORY)
    words = root.run("dpkg", "--install", root.copy_in(case.packages["healthy"]), fails=True)
    expect("can't be kept" in words and "Try: make room" in words, words[-800:])
    expect(root.installed == ("installed", OLD), f"{root.installed}")
    run("umount", root.path / MEMORY)
    case.check(OLD)
    return "refused, with the reason"


def stopped(case):
    """While a human has stopped the service, nothing is judged."""
    case.upgrade("mute")
    case.root.run("systemctl", "stop", "obd-agent.service")
    case.root.guard(5 * WITHIN)
    expect(case.root.installed == ("installed", NEW), f"{case.root.installed}")
    case.root.run("systemctl", "start", "obd-agent.service")
    case.root.guard()
    case.check(OLD, [NEW], NEW, "broker not reached")
    return "waited"


def removed(case):
    """A purge in the middle of a trial leaves nothing, and ends the watch."""
    case.upgrade("mute")
    case.root.guard(100)
    case.root.run("dpkg", "--purge", "obd-agent")
    expect(not (case.root.path / MEMORY).exists(), "the folder is left")
    return "nothing is left"


def cut(case, rng, backward):
    """The power fails in dpkg; after the next boots one of both versions is whole, and runs."""
    root = case.root
    if backward:
        case.upgrade("no-start")
        root.write("until", "999999999\n")
        process = root.start("/bin/sh", f"/{MEMORY}/guard", "watch")
    else:
        process = root.start("dpkg", "--install", root.copy_in(case.packages["healthy"]))
    time.sleep(rng.uniform(0.0, 4.0))
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.communicate()
    before = root.installed
    for _ in range(3):
        root.boot()
        root.guard()
    found = root.installed
    expect(root.installed[0] == "installed", f"{before} -> {root.installed}")
    expect(root.installed[1] == OLD or not backward, f"{before} -> {root.installed}")
    expect(not root.run("dpkg", "--verify", "obd-agent", fails=True).strip(), "a file is damaged")
    expect((root.path / DATA).read_bytes() == b"what was recorded", "the database has changed")
    root.serve(case.packages["next"])
    root.live()
    root.run("unattended-upgrade", "--verbose")
    after = root.installed
    expect(after == ("installed", NEXT), f"the next version is not installed afterwards: {after}")
    return f"{' '.join(before) or 'nothing'} -> {' '.join(found)} -> {' '.join(after)}"


CASES = {
    "healthy": healthy,
    "no-start": broken("no-start", "ended unexpectedly", 400),
    "refuses": broken("refuses", "does not start", 120),
    "mute": broken("mute", f"broker not reached within {WITHIN} s", WITHIN + 60),
    "crashes": broken("crashes", "ended unexpectedly", WITHIN),
    "elsewhere": elsewhere, "later": later, "never": never, "unattended": unattended, "chain": chain, "by-hand": by_hand,
    "full": full, "stopped": stopped, "removed": removed,
}


def main():
    """Runs the cases, and prints a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package")
    parser.add_argument("--cuts", type=int, default=12)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--only", default="")
    parser.add_argument("--cache", default=".build/upgrade-root", type=pathlib.Path)
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("upgrade.py: it makes a Debian system in a folder, which needs root. Try: sudo make system-test NAME=upgrade")
    # The mounts are of this process and its children, and end with them.
    if ctypes.CDLL(None).unshare(0x00020000) != 0:
        sys.exit("upgrade.py: no namespace of mounts")
    run("mount", "--make-rprivate", "/")
    print(f"seed {options.seed}")
    rng = random.Random(options.seed)
    status = 0
    with tempfile.TemporaryDirectory(prefix="upgrade-") as work:
        base = make_base(options.package, options.cache.resolve())
        packages = {}
        for name, kind, version in [("old", "healthy", OLD), ("next", "healthy", NEXT), ("next-no-start", "no-start", NEXT)] + [
            (kind, kind, NEW) for kind in ("healthy", "no-start", "refuses", "mute", "crashes")
        ]:
            folder = pathlib.Path(work, name)
            folder.mkdir()
            packages[name] = run(HERE / "break-package", options.package, kind, version, folder).strip()
        cases = list(CASES.items()) + [
            (f"cut-{way}-{number}", lambda case, back=(way == "back"): cut(case, rng, back))
            for number in range(options.cuts) for way in ("forth", "back")
        ]
        if not options.only or "decisions" in options.only:
            status |= decisions.main()
        for name, body in cases:
            if options.only and not any(word in name for word in options.only.split()):
                continue
            began = time.monotonic()
            case = Case(base, work, packages)
            try:
                print(f"ok    {name:16} {body(case)} ({time.monotonic() - began:.0f} s)", flush=True)
            except (Failure, RuntimeError, subprocess.TimeoutExpired) as error:
                print(f"FAIL  {name:16} {error}", flush=True)
                status = 1
            finally:
                case.root.close()
    return status


if __name__ == "__main__":
    sys.exit(main())
