# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The programs that run for long: how each is started, looked at and ended."""

import contextlib
import csv
import os
import pathlib
import signal
import sqlite3
import subprocess
import time
from datetime import datetime

from collector import Collector
from dashboard import read
from lines import Lines
from look import Look
from page import Page
from programs import beside
from scene import NAME, PARAMETERS


class Viewer:
    name = ""
    # Whether it shows values; the others write them into a file.
    is_screen = True
    # Whether it prints a line for each change, and so no value that stays.
    has_lines = False
    # Whether it reads from the agent's socket, and so needs no broker.
    is_at_socket = False
    # What it tells later than a screen does, in seconds.
    slower = 0

    def look(self):
        """What is on its screen, or the time of the newest sample in its file."""
        raise NotImplementedError

    def told(self):
        """What it says about itself where it has no screen; nothing where it says nothing."""
        return None

    def status(self):
        """The exit status; nothing while it runs."""
        raise NotImplementedError

    def settled(self, one, seconds):
        """Complains about a screen on which all is known to be old since so many seconds."""
        return []

    def end(self):
        """Ends it as its user does; complains where it does not end well."""
        raise NotImplementedError

    def close(self):
        pass


def awaited(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while (result := condition()) is None and time.monotonic() < deadline:
        time.sleep(0.1)
    return result


class Dashboard(Viewer):
    def __init__(self, name, tmux, words, is_at_socket=False):
        self.name, self.is_at_socket = name, is_at_socket
        self.pane = tmux.pane(name.replace(" ", "-"), words)

    def look(self):
        return read(self.pane.screen())

    def status(self):
        return self.pane.status

    def end(self):
        self.pane.type("q")
        status = awaited(lambda: self.pane.status)
        if status is None:
            return ["q does not end it"]
        awaited(lambda: self.pane.files["after"].exists() and self.pane.files["after"].read_text().strip() or None, 5)
        return ([f"q ends it with {status}"] if status else []) + self.pane.faults()


class Process(Viewer):
    """A program without a terminal."""

    def __init__(self, directory, words):
        self.errors = pathlib.Path(directory, self.name.replace(" ", "-") + ".log")
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=self.output(), stderr=errors, start_new_session=True, cwd=directory
            )

    def output(self):
        return subprocess.DEVNULL

    def status(self):
        return self.process.poll()

    def end(self):
        self.process.send_signal(signal.SIGINT)
        status = awaited(self.process.poll)
        if status is None:
            return ["Ctrl-C does not end it"]
        return [f"Ctrl-C ends it with {status}: {self.errors.read_text()[-200:]}"] if status else []

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Pipe(Process):
    name, has_lines = "remote watch, in a pipe", True

    def __init__(self, scene):
        self.lines = Lines(PARAMETERS)
        words = [beside(scene.binary, "obd-remote"), "watch", "--broker", scene.broker_url, "--vehicle", NAME]
        super().__init__(scene.directory, words)
        os.set_blocking(self.process.stdout.fileno(), False)

    def output(self):
        return subprocess.PIPE

    def look(self):
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self.process.stdout.fileno(), 65536):
                self.lines.feed(data.decode(errors="replace"))
        return self.lines.look()


class Recording(Process):
    name, is_screen = "remote record", False

    def __init__(self, scene):
        self.path = pathlib.Path(scene.directory, "drive.csv")
        self.draft, self.at, self.newest, self.rest = self.path.with_name("drive.csv.part"), 0, 0, b""
        words = [beside(scene.binary, "obd-remote"), "record", "--broker", scene.broker_url, "--vehicle", NAME, "--csv", self.path]
        super().__init__(scene.directory, words)

    def look(self):
        """The time of the newest row."""
        if self.draft.exists():
            with self.draft.open("rb") as file:
                file.seek(self.at)
                data = file.read()
            self.at += len(data)
            *lines, self.rest = (self.rest + data).split(b"\n")
            for row in csv.reader(line.decode() for line in lines):
                if len(row) > 1 and row[1][:2] == "20":
                    self.newest = max(self.newest, datetime.fromisoformat(row[1].replace("Z", "+00:00")).timestamp())
        return self.newest

    def end(self):
        faults = super().end()
        if not self.path.exists() or self.draft.exists():
            return [*faults, "the file is not complete"]
        with self.path.open(newline="") as file:
            rows = [tuple(row) for row in csv.reader(file)]
        if len(set(rows)) < len(rows):
            faults.append(f"{len(rows) - len(set(rows))} rows are there twice")
        widths = {len(row) for row in rows}
        return faults if len(widths) == 1 else [*faults, f"rows of {sorted(widths)} columns"]


class Collecting(Process):
    name, is_screen = "remote collect", False
    # It writes its state each five seconds.
    slower = 6

    def __init__(self, scene):
        self.path = f"{scene.directory}/fleet.db"
        self.collector = Collector(scene.binary, scene.directory, "collector", scene.ports["viewers"], self.path)
        super().__init__(scene.directory, self.collector.arguments)

    def look(self):
        """The time of the newest sample."""
        try:
            database = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True, timeout=5)
            try:
                return (database.execute("SELECT max(time) FROM samples").fetchone()[0] or 0) / 1000
            finally:
                database.close()
        except sqlite3.OperationalError:
            # There is no table yet.
            return 0

    def told(self):
        """What `collect --status` says, as the screens have it."""
        done = subprocess.run(self.collector.status_words, text=True, capture_output=True, timeout=30)
        return Look(live={"state"} if done.returncode == 0 else set(), lamps={"broker"} if done.returncode == 0 else set())


class Console(Viewer):
    name = "console"

    def __init__(self, scene):
        self.page = Page(scene.ports["page"])
        self.page.open()

    def look(self):
        return self.page.look()

    def status(self):
        return None

    def settled(self, one, seconds):
        """Lines of plots end where nothing was measured, and assistive technology is told so, too."""
        faults = self.page.ends(seconds - one.limit)
        spoken = " ".join(self.page.spoken()).lower()
        for words in ("last known",):
            if words not in spoken:
                faults.append(f'the accessibility tree has no "{words}"')
        return faults

    def end(self):
        complaints = [one for one in self.page.browser.complaints() if "WebSocket" not in one and "ERR_" not in one]
        return [f"the page complains: {complaints[0]}"] if complaints else []

    def close(self):
        self.page.close()
