# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A state directory that can be filled: a small tmpfs, or else a limit on the size of the agent's files."""

import os
import shutil
import subprocess
import sys

SIZE = 48 << 20


class Disk:
    def __init__(self, path, size=SIZE, user=()):
        self.path = path
        # The words before a command that make it one of the user whose processes are limited.
        self.user = user
        os.makedirs(path)
        options = f"size={size},mode=700"
        mount = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "chaos", path], stderr=subprocess.PIPE, text=True
        )
        self.is_mounted = mount.returncode == 0
        if not self.is_mounted:
            print(
                f"chaos: no tmpfs to fill ({mount.stderr.strip()}); the size of files is limited instead",
                file=sys.stderr,
            )

    def fill(self, *processes):
        """Fills it, for these processes, which are named by their ids."""
        if not self.is_mounted:
            # Its signal is ignored from the start of the process on, see Disk.arguments.
            self.limit("4096", processes)
            return
        with open(self.filler, "wb", buffering=0) as file:
            for block in (1 << 16, 4096, 1):
                try:
                    while True:
                        file.write(bytes(block))
                except OSError:
                    pass

    def empty(self, *processes):
        if not self.is_mounted:
            self.limit("unlimited", processes)
        elif os.path.exists(self.filler):
            os.remove(self.filler)

    def limit(self, size, processes):
        for process in processes:
            # One that has ended meanwhile needs no limit.
            words = [*self.user, "prlimit", f"--pid={process}", f"--fsize={size}:unlimited"]
            subprocess.run(words, stderr=subprocess.DEVNULL, check=False)

    @property
    def filler(self):
        return f"{self.path}/filler"

    def arguments(self, words):
        """The words that start a program which survives the limit."""
        return words if self.is_mounted else ["env", "--ignore-signal=XFSZ"] + words

    def close(self):
        if self.is_mounted:
            # For whoever looks for the reason of a failure.
            self.empty()
            shutil.copytree(self.path, f"{self.path}-left")
            subprocess.run(["umount", "--lazy", self.path], check=False)
