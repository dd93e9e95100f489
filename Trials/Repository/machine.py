# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A Debian in a folder, whose apt knows no other repository than the one that is tried."""

import hashlib
import pathlib
import shutil
import subprocess

BASES = pathlib.Path(".build-repository")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
# As root in a mount namespace of its own, so that nothing stays mounted.
ENTER = 'mount -t proc proc "$1/proc" && cd / && exec chroot "$1" /usr/bin/env -i "${@:2}"'
ENVIRONMENT = ("PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", "HOME=/root")
SETTINGS = """APT::Get::Assume-Yes "true";
APT::Install-Recommends "false";
Acquire::Retries "0";
Acquire::http::Timeout "20";
"""


def mirror():
    """The mirror from which this machine has its packages."""
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[0]


def base(suite, package):
    """A root file system with all that the package depends on, made once."""
    command = ["dpkg-deb", "--field", package, "Depends"]
    field = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    needed = ",".join(sorted({part.split("(")[0].split("|")[0].strip() for part in field.split(",")}))
    path = BASES / f"{suite}-{hashlib.sha256(needed.encode()).hexdigest()[:12]}.tar"
    if not path.exists():
        BASES.mkdir(exist_ok=True)
        draft = path.with_suffix(".new.tar")
        command = ["mmdebstrap", "--quiet", "--mode=root", "--variant=apt", f"--keyring={KEYRING}"]
        command += [f"--include={needed}", "--aptopt=Acquire::Check-Valid-Until \"false\"", suite, draft, mirror()]
        subprocess.run(command, check=True, timeout=1800)
        draft.rename(path)
    return path


class Machine:
    def __init__(self, suite, package, folder):
        self.name, self.root = suite, folder / suite
        self.root.mkdir()
        command = ["tar", "--extract", "--numeric-owner", "--file", base(suite, package), "--directory", self.root]
        subprocess.run(command, check=True)
        # No source but ours, and no setting of mmdebstrap's: the dates of lists count.
        for pattern in ("etc/apt/sources.list", "etc/apt/sources.list.d/*", "etc/apt/apt.conf.d/*mmdebstrap*"):
            for path in self.root.glob(pattern):
                path.unlink()
        (self.root / "etc/apt/apt.conf.d/99trial").write_text(SETTINGS)
        # The service cannot start: systemd does not run here.
        policy = self.root / "usr/sbin/policy-rc.d"
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)
        self.forget()

    def run(self, *command):
        """Runs a command inside; returns its exit status and what it printed."""
        words = ["unshare", "--mount", "--propagation", "private", "bash", "-c", ENTER, "_", self.root]
        words += [*ENVIRONMENT, *command]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
        return done.returncode, done.stdout + done.stderr

    def get(self, *words):
        return self.run("apt-get", *words)

    def forget(self):
        """Makes apt a newcomer: no lists, no packages."""
        for name, inner in {"var/lib/apt/lists": "partial", "var/cache/apt": "archives/partial"}.items():
            shutil.rmtree(self.root / name, ignore_errors=True)
            (self.root / name / inner).mkdir(parents=True)

    def source(self, text):
        (self.root / "etc/apt/sources.list.d/obd-agent.sources").write_text(text)

    def candidate(self, package="obd-agent"):
        """The newest version that the lists offer, None without one; what is installed does not count."""
        _, text = self.run("apt-cache", "madison", package)
        versions = [line.split("|")[1].strip() for line in text.splitlines() if "|" in line]
        return versions[0] if versions else None

    def installed(self, package="obd-agent"):
        status, text = self.run("dpkg-query", "--show", "--showformat", "${db:Status-Abbrev}${Version}", package)
        return text[3:] if status == 0 and text.startswith("ii") else None
