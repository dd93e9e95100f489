# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Answers a program's questions on a terminal of its own: typed_terminal.py TYPED PROGRAM ARGUMENT...

TYPED is a JSON list of pairs: what to wait for, and what to type then. Prints a JSON object: the exit code, what was on
the screen, and whether the terminal is as it was.
"""
import json
import os
import select
import subprocess
import sys
import termios
import time


def main():
    typed, *program = json.loads(sys.argv[1]), *sys.argv[2:]
    os.environ["TERM"] = "xterm-256color"
    master, slave = os.openpty()
    before = termios.tcgetattr(slave)

    def become_foreground():
        os.setsid()
        # Ctrl-C is for the process group whose terminal this is.
        os.close(os.open(os.ttyname(slave), os.O_RDWR))

    child = subprocess.Popen(program, stdin=slave, stdout=slave, stderr=slave, preexec_fn=become_foreground)
    screen, position, deadline = "", 0, time.monotonic() + 120

    def read():
        nonlocal screen
        if select.select([master], [], [], 0.1)[0]:
            screen += os.read(master, 65536).decode("utf-8", "replace")

    for expected, text in typed:
        while (found := screen.find(expected, position)) < 0:
            if child.poll() is not None or time.monotonic() > deadline:
                child.kill()
                sys.exit(f"{expected!r} is not there: {screen!r}")
            read()
        position = found + len(expected)
        # The hidden line begins after its question: what comes before that would be shown.
        if "not shown" in expected:
            while termios.tcgetattr(slave)[3] & termios.ECHO and time.monotonic() < deadline:
                read()
        os.write(master, text.encode())
    while child.poll() is None and time.monotonic() < deadline:
        read()
    read()
    child.kill()
    print(json.dumps({"code": child.wait(), "screen": screen, "restored": termios.tcgetattr(slave) == before}))


main()
