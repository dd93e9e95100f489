# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The owner of a repository: keys that live as long as the trial, packages, and "make-apt-repository"."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/make-apt-repository"
# Ends the script at its write number WRITE, as a power cut would, before or after the file is in its place.
INTERRUPTED = """
import importlib.machinery, importlib.util, os, sys
loader = importlib.machinery.SourceFileLoader("script", sys.argv[1])
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("script", loader))
loader.exec_module(script)
left, replace = [int(sys.argv[2])], os.replace
def counted(*paths):
    left[0] -= 1
    if left[0] == 0: os._exit(9)
    replace(*paths)
os.replace = counted
script.main(sys.argv[3:])
"""


def digest(data):
    return hashlib.sha256(data).hexdigest()


class Publisher:
    def __init__(self, folder):
        self.folder, self.www, self.packages = folder, folder / "www", folder / "packages"
        self.packages.mkdir()
        self.home = folder / "gnupg"
        self.home.mkdir(mode=0o700)
        self.environment = os.environ | {"GNUPGHOME": str(self.home)}
        self.key, self.other = self.new_key("owner"), self.new_key("another")

    def begin(self):
        """Ends what a check that failed has left."""
        self.empty()

    def close(self):
        subprocess.run(["gpgconf", "--kill", "all"], env=self.environment, capture_output=True)

    def gpg(self, *words, data=None):
        command = ["gpg", "--batch", "--quiet", *words]
        return subprocess.run(command, input=data, env=self.environment, capture_output=True, check=True).stdout

    def new_key(self, name):
        user = f"{name} <{name}@obd-agent.example>"
        self.gpg("--passphrase", "", "--quick-generate-key", user, "ed25519", "sign", "1d")
        listed = self.gpg("--with-colons", "--list-secret-keys", f"{name}@obd-agent.example").decode()
        return re.search(r"^fpr:+([0-9A-F]+):", listed, re.MULTILINE)[1]

    def sign(self, text, key):
        return self.gpg("--local-user", key, "--clearsign", data=text)

    def arguments(self, **options):
        words = {"packages": self.packages, "key": self.key, "valid": 3600, **options}
        return [str(words.pop("directory", self.www)), *(f"--{name}={value}" for name, value in words.items())]

    def publish(self, **options):
        """Runs the script; returns what it printed."""
        done = self.attempt(**options)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def attempt(self, **options):
        command = [SCRIPT, *self.arguments(**options)]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=300)

    def interrupted(self, write, **options):
        """Runs it until that write; tells whether there was one."""
        command = ["python3", "-B", "-c", INTERRUPTED, SCRIPT, str(write), *self.arguments(**options)]
        status = subprocess.run(command, env=self.environment, capture_output=True, timeout=300).returncode
        assert status in (0, 9), status
        return status == 9

    def package(self, name, version, architecture="amd64", content="x"):
        """Makes a small package among those to publish."""
        root = self.folder / "tree"
        (root / "DEBIAN").mkdir(parents=True)
        (root / "DEBIAN/control").write_text(
            f"Package: {name}\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: A <a@obd-agent.example>\n"
            "Description: of the trial\n"
        )
        (root / "content").write_text(content)
        return self.build(root, f"{name}_{version.rpartition(':')[2]}_{architecture}.deb")

    def variant(self, package, version, architecture=None):
        """Makes a real package anew with another version."""
        root = self.folder / "tree"
        subprocess.run(["dpkg-deb", "--raw-extract", package, root], check=True)
        control = root / "DEBIAN/control"
        text = re.sub(r"^Version: .*$", f"Version: {version}", control.read_text(), flags=re.MULTILINE)
        if architecture:
            text = re.sub(r"^Architecture: .*$", f"Architecture: {architecture}", text, flags=re.MULTILINE)
        control.write_text(text)
        name = package.name.split("_")[0]
        return self.build(root, f"{name}_{version}_{architecture or 'amd64'}.deb")

    def build(self, root, name):
        path = self.packages / name
        command = ["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", root, path]
        subprocess.run(command, check=True, capture_output=True)
        shutil.rmtree(root)
        return path

    def empty(self):
        for path in self.packages.iterdir():
            path.unlink()

    def versions(self, architecture="amd64", package="obd-tiny", suite="stable"):
        """The published versions of a package, after a look at every file that a client could ask for."""
        www, suite = self.www, self.www / "dists" / suite
        # A signature that does not hold ends this with an error.
        release = self.gpg("--decrypt", suite / "InRelease").decode()
        found = []
        for sum256, size, name in re.findall(r"^ ([0-9a-f]{64}) +(\d+) (\S+)$", release, re.MULTILINE):
            data = (suite / pathlib.Path(name).parent / "by-hash/SHA256" / sum256).read_bytes()
            assert (len(data), digest(data)) == (int(size), sum256), f"{name} is not what InRelease says"
            if not name.endswith("/Packages"):
                continue
            for stanza in filter(None, data.decode().split("\n\n")):
                fields = dict(re.findall(r"^(\S+): (.*)$", stanza, re.MULTILINE))
                file = (www / fields["Filename"]).read_bytes()
                named = fields["Size"], fields["SHA256"]
                assert (str(len(file)), digest(file)) == named, f"{fields['Filename']} differs"
                if fields["Package"] == package and f"binary-{architecture}/" in name:
                    found.append(fields["Version"])
        return found
