# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A state directory that can be filled: a small tmpfs, or else a limit on the size of the agent's files."""

import os
import resource
import shutil
import subprocess
import sys

SIZE = 48 << 20


class Disk:
    def __init__(self, path):
        self.path = path
        os.makedirs(path)
        options = f"size={SIZE},mode=700"
        mount = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "chaos", path], stderr=subprocess.PIPE, text=True
        )
        self.is_mounted = mount.returncode == 0
        if not self.is_mounted:
            print(
                f"chaos: no tmpfs to fill ({mount.stderr.strip()}); the size of files is limited instead",
                file=sys.stderr,
            )

    def fill(self, process):
        if not self.is_mounted:
            # Its signal is ignored from the start of the process on, see Disk.arguments.
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
            return
        with open(self.filler, "wb", buffering=0) as file:
            for block in (1 << 16, 4096, 1):
                try:
                    while True:
                        file.write(bytes(block))
                except OSError:
                    pass

    def empty(self, process):
        if not self.is_mounted:
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        elif os.path.exists(self.filler):
            os.remove(self.filler)

    @property
    def filler(self):
        return f"{self.path}/filler"

    def arguments(self, words):
        """The words that start a program which survives the limit."""
        return words if self.is_mounted else ["env", "--ignore-signal=XFSZ"] + words

    def close(self):
        if self.is_mounted:
            # For whoever looks for the reason of a failure.
            self.empty(None)
            shutil.copytree(self.path, f"{self.path}-left")
            subprocess.run(["umount", "--lazy", self.path], check=False)
