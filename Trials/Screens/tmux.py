# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A program on a terminal of tmux: its screen with the colors, and its bytes."""

import os
import pathlib
import re
import shlex
import subprocess

# Narrower than the screen on which the parameters stand beside the gauges.
COLUMNS, ROWS = 100, 50
SEQUENCE = re.compile(r"\x1b\[([\d;:]*)m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.")


class Tmux:
    """One server, which has its own socket, and ends with the trial."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.words = ["tmux", "-S", f"{directory}/tmux", "-f", "/dev/null"]
        self.environment = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        for name in ("TMUX", "NO_COLOR"):
            self.environment.pop(name, None)

    def run(self, *words):
        done = subprocess.run([*self.words, *words], env=self.environment, capture_output=True, text=True, timeout=20)
        return done.stdout

    def pane(self, name, words):
        return Pane(self, name, words)

    def close(self):
        self.run("kill-server")


class Pane:
    """A shell that runs the program, and tells the terminal's settings before and after."""

    def __init__(self, tmux, name, words):
        self.tmux, self.name = tmux, name
        self.files = {kind: tmux.directory / f"{name}.{kind}" for kind in ("before", "after", "status", "raw", "go")}
        command = " ".join(shlex.quote(str(word)) for word in words)
        # The bytes are piped from the very first on.
        lines = [f"while [ ! -e {self.files['go']} ]; do sleep 0.05; done", f"stty -a >{self.files['before']}", command]
        lines += [f"echo $? >{self.files['status']}", f"stty -a >{self.files['after']}", "sleep 86400"]
        size = ["-x", str(COLUMNS), "-y", str(ROWS)]
        tmux.run("new-session", "-d", "-s", name, *size, "sh", "-c", "\n".join(lines))
        tmux.run("pipe-pane", "-t", name, "-o", f"cat >{self.files['raw']}")
        self.files["go"].touch()

    @property
    def status(self):
        """The exit status of the program; nothing while it runs."""
        text = self.files["status"].read_text() if self.files["status"].exists() else ""
        return int(text) if text.strip() else None

    @property
    def process(self):
        """The id of the program."""
        shell = self.tmux.run("display-message", "-p", "-t", self.name, "#{pane_pid}").strip()
        children = pathlib.Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
        return int(children[0]) if children else None

    def screen(self):
        """The rows, each a list of pairs of a character and its SGR parameters."""
        rows, style = [], frozenset()
        for line in self.tmux.run("capture-pane", "-p", "-e", "-t", self.name).split("\n"):
            # A style goes on until another one is told, also over the end of a line.
            row, style = cells(line, style)
            rows.append(row)
        return rows

    def type(self, keys):
        self.tmux.run("send-keys", "-t", self.name, keys)

    def faults(self):
        """What the program has left behind on the terminal, once it has ended."""
        # What tmux makes of the bytes, and the bytes themselves.
        flags = self.tmux.run("display-message", "-p", "-t", self.name, "#{alternate_on} #{cursor_flag} #{wrap_flag}").split()
        result = [words for flag, good, words in zip(flags, "011", TROUBLES) if flag != good]
        raw = self.files["raw"].read_bytes()
        for number, good in ((b"1049", b"l"), (b"25", b"h"), (b"7", b"h")):
            switches = re.findall(rb"\x1b\[\?" + number + rb"([hl])", raw)
            if not switches or switches[-1] != good:
                result.append(f"its last CSI ?{number.decode()} is {switches[-1:]}")
        if self.files["before"].read_text() != self.files["after"].read_text():
            result.append("stty has other settings than before")
        return result


TROUBLES = ("the alternate screen stays", "the cursor stays hidden", "lines are not wrapped any more")


def cells(line, style):
    """A captured line as pairs of a character and the SGR parameters that count there, and those after its end."""
    result, at = [], 0
    for match in SEQUENCE.finditer(line):
        result += [(character, style) for character in line[at : match.start()]]
        at = match.end()
        if match.group(1) is not None:
            style = after(style, match.group(1))
    return result + [(character, style) for character in line[at:]], style


def after(style, parameters):
    for word in (parameters or "0").split(";"):
        number = int(word.split(":")[0] or 0)
        if number == 0:
            style = frozenset()
        elif number == 22:
            style -= {1, 2}
        elif number == 39 or 30 <= number <= 37 or 90 <= number <= 97:
            style = frozenset(one for one in style if one < 30) | ({number} - {39})
        else:
            style |= {number}
    return style
