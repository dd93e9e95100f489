# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Runs a program on a terminal of its own: watch_terminal.py KEYS END PROGRAM ARGUMENT...

It waits until the screen has "Speed" on it, types KEYS, makes the terminal smaller, waits until what is on it fits, and
ends the program with END: "q", or "interrupt" for Ctrl-C. Prints a JSON object: the screen before and after, as lines,
what was written in all, the exit code, and whether the terminal is as it was.
"""
import fcntl
import json
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

SEQUENCE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")


def resize(descriptor, columns, rows):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def screen(text):
    """What a terminal shows of it: the sequences that the dashboard uses, and no others."""
    lines, row, column = {}, 0, 0
    position = 0
    while position < len(text):
        match = SEQUENCE.match(text, position)
        if match is None:
            line = lines.get(row, "").ljust(column)
            lines[row] = line[:column] + text[position] + line[column + 1:]
            column, position = column + 1, position + 1
            continue
        parameters, final = match.groups()
        if final == "H":
            row, column = (int(number) - 1 for number in parameters.split(";"))
        elif final == "K":
            lines[row] = lines.get(row, "")[:column]
        elif final == "J":
            lines = {}
        else:
            assert final == "m" or parameters in ("?1049", "?25", "?7"), match.group()
        position = match.end()
    return [lines.get(row, "") for row in range(max(lines, default=-1) + 1)]


def main():
    keys, end, *program = sys.argv[1:]
    master, slave = os.openpty()
    resize(slave, 80, 24)
    before = termios.tcgetattr(slave)
    os.environ["TERM"] = "xterm-256color"
    child = subprocess.Popen(program, stdin=slave, stdout=slave, stderr=subprocess.PIPE, start_new_session=True)
    written, deadline = b"", time.monotonic() + 60

    def read_until(is_there):
        nonlocal written
        while not is_there(written.decode("utf-8", "replace")):
            # What it wrote last is there after its end, too.
            has_ended = child.poll() is not None
            if time.monotonic() < deadline and select.select([master], [], [], 0.2)[0]:
                written += os.read(master, 65536)
            elif has_ended or time.monotonic() >= deadline:
                child.kill()
                sys.exit(f"not there: {written[-2000:]!r} {child.stderr.read()!r}")

    read_until(lambda text: any("Speed" in line for line in screen(text)))
    wide = screen(written.decode())
    os.write(master, keys.encode())
    resize(slave, 40, 12)
    start = len(written)
    read_until(lambda text: "\x1b[2J" in written[start:].decode("utf-8", "replace") and "q quit" in screen(text)[-1])
    small = screen(written.decode())
    if end == "interrupt":
        child.send_signal(signal.SIGINT)
    else:
        os.write(master, end.encode())
    read_until(lambda text: text.endswith("\x1b[?1049l"))
    code = child.wait(timeout=20)
    after = termios.tcgetattr(slave)
    print(json.dumps({
        "wide": wide, "small": small, "written": written.decode(), "code": code, "restored": before == after,
    }))


main()
