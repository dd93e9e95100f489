# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A small project with the real scripts of a release, whose "make deb" takes a moment."""

import json
import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ("make-release-files", "make-sbom", "reproducible")
MAKEFILE = """deb:
\tmkdir -p .build-deb .build-release/checkouts/swift-log .build-console root/DEBIAN
\tcp LICENSE .build-release/checkouts/swift-log/LICENSE.txt
\tcp resolved.json Package.resolved
\techo "mqtt.js is made of these packages of Debian: dpkg." >.build-console/licenses.txt
\tsed 's/ARCH/$(ARCH)/' binary >root/DEBIAN/control
\tchmod 755 root root/DEBIAN
\t$(CONTENT)
\tchmod 644 root/content root/DEBIAN/control
\tdpkg-deb --root-owner-group --build root .build-deb/obd-agent_1.2.3_$(ARCH).deb
"""
MAINTAINER = "A <a@obd-agent.example>"
DATE = "Sun, 22 Nov 2026 12:00:00 +0000"
SAME = "cp README root/content"
# What builds often put into their files.
TELLTALES = {
    "folder": "pwd >root/content",
    "time": "date +%s%N >root/content",
    "time zone": "date --date=@0 >root/content",
    "language": "locale >root/content",
    "home": "echo $$HOME >root/content",
    "umask": "umask >root/content",
}


class Project:
    def __init__(self, folder):
        self.folder, self.home = folder / "project", folder / "gnupg"
        self.home.mkdir(mode=0o700)
        # A "swift" that only tells its version.
        tools = folder / "tools"
        tools.mkdir()
        (tools / "swift").write_text('#!/bin/sh\necho "Swift version 6.3.1 (swift-6.3.1-RELEASE)"\n')
        (tools / "swift").chmod(0o755)
        self.environment = os.environ | {
            "GNUPGHOME": str(self.home), "PATH": f"{tools}:{os.environ['PATH']}", "ARCHITECTURES": "amd64",
            "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@obd-agent.example", "GIT_COMMITTER_NAME": "A",
            "GIT_COMMITTER_EMAIL": "a@obd-agent.example",
        }
        self.environment.pop("SIGNING_KEY", None)
        files = {
            "Makefile": f"ARCH = amd64\nCONTENT = {SAME}\n{MAKEFILE}",
            "README": "of the commit\n",
            "LICENSE": "Apache License, Version 2.0\n",
            ".swift-version": "6.3.1\n",
            ".gitignore": ".build*/\nPackage.resolved\n",
            "Package.swift": '.package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),\n',
            "resolved.json": json.dumps({"pins": [{
                "identity": "swift-log", "location": "https://github.com/apple/swift-log.git",
                "state": {"revision": "c2cb5297956b2a95420f70d1f51e8dc4b4f94708", "version": "1.16.2"},
            }]}),
            "binary": f"Package: obd-agent\nVersion: 1.2.3\nArchitecture: ARCH\nMaintainer: {MAINTAINER}\nDescription: x\n",
            "debian/changelog": f"obd-agent (1.2.3) unstable; urgency=medium\n\n  * x\n\n -- {MAINTAINER}  {DATE}\n",
            "debian/control": "Source: obd-agent\nBuild-Depends: dpkg (>= 1), make\n",
        }
        for name, text in files.items():
            self.write(name, text)
        (self.folder / "scripts").mkdir()
        for name in SCRIPTS:
            shutil.copy(ROOT / "scripts" / name, self.folder / "scripts" / name)
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit()
        self.git("tag", "v1.2.3")
        quiet = ["gpg", "--batch", "--quiet", "--passphrase", ""]
        command = [*quiet, "--quick-generate-key", "owner", "ed25519", "sign", "1d"]
        subprocess.run(command, env=self.environment, check=True, capture_output=True)
        listed = self.run("gpg", "--batch", "--with-colons", "--list-secret-keys").stdout
        self.key = re.search(r"^fpr:+([0-9A-F]+):", listed, re.MULTILINE)[1]

    def close(self):
        self.run("gpgconf", "--kill", "all")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, *command, **variables):
        environment = self.environment | variables
        options = {"cwd": self.folder, "env": environment, "stdin": subprocess.DEVNULL}
        return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)

    def git(self, *words):
        done = self.run("git", *words)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message=x")

    def release(self, *words, **variables):
        return self.run("scripts/make-release-files", *words, **variables)

    @property
    def output(self):
        return self.folder / ".build-release-files/1.2.3"
