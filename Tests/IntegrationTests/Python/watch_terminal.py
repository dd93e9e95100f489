# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Runs a program on a terminal of its own: watch_terminal.py STEPS PROGRAM ARGUMENT...

STEPS is a JSON array of objects, which are done in order, each with one of these members:

  "wait": a regular expression that a line of the screen must match; "not": one that no line may match any more
  "type": text for the program to read
  "resize": [columns, rows]
  "keep": the name under which the screen is in the result
  "say": a line to print, so that the test can do something meanwhile
  "signal": the name of a signal for the program, such as "SIGINT"
  "cook": true gives the terminal the settings that a shell works with
  "stall": true reads nothing until the terminal is full; "exit": true waits for the end without reading
  "hang_up": true closes the terminal
  "end": true waits for the end of the program

Prints a JSON object: the kept screens as lines by name, the exit code (negative for a signal), whether the terminal is as
it was, and what the program wrote to standard error.
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
import tempfile
import termios
import time

from terminal_screen import Screen

LIMIT = 60


def resize(descriptor, columns, rows):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


class Watch:
    def __init__(self, program):
        self.master, self.slave = os.openpty()
        self.screen = Screen(80, 24)
        resize(self.slave, 80, 24)
        self.before = termios.tcgetattr(self.slave)
        self.notes = tempfile.TemporaryFile()
        os.environ["TERM"] = "xterm-256color"
        # A crash that a test causes needs no backtrace, which takes its time.
        os.environ["SWIFT_BACKTRACE"] = "enable=no"
        self.child = subprocess.Popen(program, stdin=self.slave, stdout=self.slave, stderr=self.notes,
                                      start_new_session=True)
        self.kept = {}

    def text(self):
        self.notes.seek(0)
        return self.notes.read().decode("utf-8", "replace")

    def read(self, timeout):
        """Reads what is there, and tells whether that was anything."""
        if not select.select([self.master], [], [], timeout)[0]:
            return False
        self.screen.feed(os.read(self.master, 65536))
        return True

    def wait(self, is_there, what):
        deadline = time.monotonic() + LIMIT
        while not is_there():
            # What it wrote last is there after its end, too.
            has_ended = self.child.poll() is not None
            if not self.read(0.2) and (has_ended or time.monotonic() >= deadline):
                # The condition itself may have read the last of it.
                if has_ended and is_there():
                    return
                self.child.kill()
                sys.exit(f"not there: {what}\n" + "\n".join(self.screen.lines()) + "\n" + self.text())

    def step(self, step):
        if "wait" in step:
            self.wait(lambda: any(re.search(step["wait"], line) for line in self.screen.lines()), step)
        if "not" in step:
            self.wait(lambda: not any(re.search(step["not"], line) for line in self.screen.lines()), step)
        if "type" in step:
            os.write(self.master, step["type"].encode())
        if "resize" in step:
            columns, rows = step["resize"]
            self.screen.resize(columns, rows)
            resize(self.slave, columns, rows)
        if "keep" in step:
            self.kept[step["keep"]] = self.screen.lines()
        if "say" in step:
            print(step["say"], flush=True)
        if "signal" in step:
            self.child.send_signal(getattr(signal, step["signal"]))
        if "cook" in step:
            settings = termios.tcgetattr(self.slave)
            settings[3] |= termios.ICANON | termios.ECHO
            termios.tcsetattr(self.slave, termios.TCSANOW, settings)
        if "stall" in step:
            self.stall()
        if "exit" in step:
            self.child.wait(timeout=LIMIT)
        if "hang_up" in step:
            os.close(self.slave)
            os.close(self.master)
            self.child.wait(timeout=LIMIT)
        if "end" in step:
            self.wait(lambda: self.child.poll() is not None and not self.read(0), step)

    def stall(self):
        """Has the program draw more than the terminal takes: some 64 KiB, which nobody reads."""
        drawn = 0
        while drawn < 40:
            resize(self.slave, 199 + drawn % 2, 200)
            drawn += 1
            # Each size is drawn with the next frame.
            select.select([], [], [], 0.1)

    def result(self):
        result = {"screens": self.kept, "code": self.child.wait(timeout=LIMIT), "notes": self.text()}
        try:
            after = termios.tcgetattr(self.slave)
        except (OSError, termios.error):
            return result
        return result | {"restored": after == self.before and self.screen.is_usual}


def main():
    watch = Watch(sys.argv[2:])
    for step in json.loads(sys.argv[1]):
        watch.step(step)
    print(json.dumps(watch.result()))


main()
