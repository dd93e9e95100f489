# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A Debian system in a folder, with a clock of its own: real dpkg, apt and unattended-upgrades, and a systemd that is played."""

import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
MEMORY = pathlib.Path("var/lib/obd-agent-upgrade")
#: The seconds that a version has in the trial, and for which the one before is kept.
WITHIN, KEEP = 900, 7200


def run(*command, **options):
    """Runs a command of this machine; its output is in the error if it fails."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}:\n{done.stdout[-3000:]}")
    return done.stdout


def make_base(package, folder):
    """Makes the system that each case begins with, once: Debian's packages that the agent needs, and unattended-upgrades."""
    depends = run("dpkg-deb", "--field", package, "Depends")
    needed = [each.split()[0] for each in depends.replace("\n", " ").split(",")]
    mark = hashlib.sha256(" ".join(sorted(needed)).encode()).hexdigest()[:12]
    base = folder / f"base-{mark}"
    if not base.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        mirror = run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian").split()[0]
        suite = run("sh", "-c", ". /etc/os-release; echo $VERSION_CODENAME").strip()
        run("mmdebstrap", "--quiet", "--mode=root", "--variant=apt", "--aptopt=APT::Install-Recommends false",
            f"--include={','.join(needed)},unattended-upgrades", suite, f"{base}.new", mirror)
        os.rename(f"{base}.new", base)
    return base


class Root:
    """One case's own system, over the base; the mounts end with the namespace of the trial."""

    def __init__(self, base, work):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=work))
        self.path = self.folder / "root"
        for name in ("root", "upper", "lower"):
            (self.folder / name).mkdir()
        run("mount", "-t", "overlay", "overlay", "-o",
            f"lowerdir={base},upperdir={self.folder}/upper,workdir={self.folder}/lower", self.path)
        run("mount", "-t", "proc", "proc", self.path / "proc")
        run("mount", "-t", "tmpfs", "tmpfs", self.path / "run")
        run("mount", "--rbind", "/dev", self.path / "dev")
        self.played = self.path / "run/played"
        self.played.mkdir()
        (self.path / "run/systemd/system").mkdir(parents=True)
        for name in ("systemctl", "sleep"):
            # In place of the real ones, because apt gives dpkg a PATH of its own.
            shutil.copy(HERE / "played" / name, self.path / "usr/bin" / name)
        self.write("away", "")
        self.write("settings", f"rollback=yes\nwithin={WITHIN}\nkeep={KEEP}\n")
        self.write("boot", "boot-1\n")
        self.boots = 1
        self.write("uptime", "1000.00 0.00\n")
        run("mount", "--bind", self.played / "uptime", self.path / "proc/uptime")
        run("mount", "--bind", self.played / "boot", self.path / "proc/sys/kernel/random/boot_id")

    def close(self):
        """Ends the mounts, and removes what the case has written."""
        run("umount", "--recursive", "--lazy", self.path)
        shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, name, text):
        """Changes what is played, without another file in its place: it may be mounted."""
        with open(self.played / name, "w", encoding="utf-8") as file:
            file.write(text)

    @property
    def now(self):
        """The seconds since the machine's start."""
        return int(float((self.played / "uptime").read_text(encoding="utf-8").split()[0]))

    def start(self, *command):
        """Starts a command in the system, in a process group of its own."""
        return subprocess.Popen(["chroot", str(self.path), *map(str, command)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
                                env={"PATH": PATH, "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"})

    def run(self, *command, fails=False, limit=1800):
        """Runs a command in the system; nothing of it outlives the limit."""
        process = self.start(*command)
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise
        if process.returncode and not fails:
            raise RuntimeError(f"{' '.join(map(str, command))} ended with {process.returncode}:\n{output[-3000:]}")
        return output

    def copy_in(self, package):
        """Copies a package into the system, and returns its path there."""
        shutil.copy(package, self.path / "root" / pathlib.Path(package).name)
        return f"/root/{pathlib.Path(package).name}"

    def live(self, seconds=60):
        """Lets the agent run for a while, so that its health file is of now."""
        self.write("until", "999999999\n")
        for _ in range(seconds // 10):
            self.run("sleep", "10")

    def guard(self, seconds=10_000_000):
        """Lets the unit run, as systemd does while there is something to judge; returns what it has said.

        It ends after `seconds` of the machine's time, as in a power cut.
        """
        if not (self.path / MEMORY / "state").exists() and not list((self.path / "var/lib/dpkg/updates").glob("[0-9]*")):
            return ""
        self.write("until", f"{self.now + seconds}\n")
        scripts = [f"/{MEMORY}/guard", "/usr/lib/obd-agent/upgrade-guard"]
        script = next(each for each in scripts if (self.path / each[1:]).exists())
        return self.run("/bin/sh", script, "watch", fails=True)

    def boot(self):
        """The power comes back: another boot, the agent is started."""
        self.boots += 1
        self.write("boot", f"boot-{self.boots}\n")
        self.write("uptime", "10.00 0.00\n")
        shutil.rmtree(self.path / "run/obd-agent", ignore_errors=True)
        for file in self.played.glob("good-*"):
            file.unlink()
        self.run("systemctl", "start", "obd-agent.service", fails=True)

    def serve(self, *packages):
        """Makes a repository of packages, which apt in the system reads."""
        folder = self.path / "repository"
        folder.mkdir(exist_ok=True)
        stanzas = []
        for package in packages:
            data = pathlib.Path(package).read_bytes()
            name = pathlib.Path(package).name
            (folder / name).write_bytes(data)
            stanzas.append(run("dpkg-deb", "--field", package) + f"Filename: ./{name}\nSize: {len(data)}\n"
                           f"SHA256: {hashlib.sha256(data).hexdigest()}\n")
        lists = "\n".join(stanzas).encode()
        (folder / "Packages").write_bytes(lists)
        (folder / "Release").write_text("Origin: fleet\nLabel: fleet\nSuite: stable\nSHA256:\n"
                                        f" {hashlib.sha256(lists).hexdigest()} {len(lists)} Packages\n", encoding="utf-8")
        for file in (self.path / "etc/apt/sources.list.d").glob("*"):
            file.unlink()
        (self.path / "etc/apt/sources.list").write_text("deb [trusted=yes] file:/repository ./\n", encoding="utf-8")
        (self.path / "etc/apt/apt.conf.d/52fleet").write_text(
            'Unattended-Upgrade::Origins-Pattern { "origin=fleet"; };\nAPT::Get::AllowUnauthenticated "true";\n', encoding="utf-8")
        self.run("apt-get", "update")

    @property
    def installed(self):
        """The state of the package, and its version."""
        return tuple(self.run("dpkg-query", "--show", "--showformat", "${db:Status-Status} ${Version}", "obd-agent",
                              fails=True).split())

    def told(self):
        """The notice for the agent, as a dictionary; empty without one."""
        file = self.path / MEMORY / "rolled-back"
        return dict(line.split("=", 1) for line in file.read_text(encoding="utf-8").splitlines()) if file.exists() else {}

    @property
    def pins(self):
        """What apt is forbidden."""
        file = self.path / "etc/apt/preferences.d/obd-agent"
        return [line[13:] for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("Pin: version ")] \
            if file.exists() else []
