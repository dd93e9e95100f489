#!/usr/bin/env python3
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Makes an apt repository with "make-apt-repository", and has the apt of each Debian install from it, under attack.

Usage: repository.py PACKAGE [--suites "bookworm trixie"]      PACKAGE is an obd-agent_*_amd64.deb. As root.
"""

import argparse
import os
import pathlib
import shutil
import sys
import tempfile
import time
import traceback

import clients
import machine
import publisher
import shelf
import web


def rounds(options, folder):
    """Each check with what it runs on."""
    owner = publisher.Publisher(folder)
    yield "folder", shelf.ALL, owner, owner.close
    for suite in options.suites.split():
        place = folder / f"for-{suite}"
        place.mkdir()
        owner = publisher.Publisher(place)
        owner.www.mkdir()
        server = web.Web(owner.www)
        debian = machine.Machine(suite, options.package, place)
        scene = clients.Scene(owner, server, debian, options.package)

        def close(owner=owner, server=server):
            owner.close()
            server.close()

        yield suite, clients.ALL, scene, close


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("package", type=pathlib.Path)
    parser.add_argument("--suites", default="bookworm trixie")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("Debian root file systems need root. Try: sudo make system-test NAME=repository")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="obd-repository-"))
    folder.chmod(0o755)
    passed = failed = 0
    try:
        for name, checks, subject, close in rounds(options, folder):
            try:
                for check in checks:
                    begin = time.monotonic()
                    subject.begin()
                    title = f"{name:9} {check.__name__.replace('_', ' ')}"
                    try:
                        check(subject)
                        passed += 1
                        print(f"ok    {title} ({time.monotonic() - begin:.1f} s)", flush=True)
                    except Exception:
                        failed += 1
                        print(f"FAIL  {title}\n{traceback.format_exc()}", flush=True)
            finally:
                close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
