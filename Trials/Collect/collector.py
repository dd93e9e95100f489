# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""`obd-remote collect`, as an operator starts it."""

import json
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Chaos"))

from programs import Program, beside


class Collector(Program):
    def __init__(self, binary, directory, name, port, database, group=None):
        # The client id at the broker.
        self.name = name
        words = [beside(binary, "obd-remote"), "collect", "--status-file", f"{directory}/{name}.json"]
        self.status_words = [*words, "--status", "--json"]
        words += ["--broker", f"mqtt://127.0.0.1:{port}", "--database", database, "--client-id", name]
        super().__init__([*words, *(["--share", group] if group else [])], f"{directory}/{name}.log")

    def status(self):
        """The state that it reports, as an operator sees it."""
        done = subprocess.run(self.status_words, text=True, capture_output=True, timeout=30)
        return json.loads(done.stdout) if done.stdout else {"problem": done.stderr.strip()}
