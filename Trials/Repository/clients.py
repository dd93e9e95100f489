# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""What a Debian's apt does with the repository: installations, upgrades, and what an attacker serves in its place."""

import re
import shutil
import time

FIRST, SECOND, THIRD = "0.1.0", "0.1.1", "0.1.2"
# How long short-lived lists are valid; apt must have read them within.
SHORT = 8


class Scene:
    """The owner, the web server, and one Debian."""

    def __init__(self, owner, web, machine, package):
        self.owner, self.web, self.machine, self.package = owner, web, machine, package
        self.snapshots = 0

    def begin(self):
        """Ends the attacks of a check that failed."""
        self.web.honest(self.owner.www)

    def release(self, version, **options):
        self.owner.empty()
        self.owner.variant(self.package, version)
        self.owner.variant(self.package, version, "arm64")
        return self.owner.publish(url=self.web.url, **options)

    def snapshot(self):
        """A copy of the folder as it is served now."""
        self.snapshots += 1
        copy = self.owner.folder / f"snapshot-{self.machine.name}-{self.snapshots}"
        shutil.copytree(self.owner.www, copy)
        return copy

    def newcomer(self):
        self.machine.forget()
        self.machine.source((self.owner.www / "obd-agent.sources").read_text())

    def updated(self):
        status, text = self.machine.get("update")
        assert status == 0 and "W: " not in text, text
        return text

    def refused(self, answer):
        """The newcomer's apt fails with these words, and offers no package."""
        self.machine.forget()
        status, text = self.machine.get("update")
        assert status == 100 and re.search(answer, text, re.IGNORECASE), (status, text)
        assert self.machine.candidate() is None, self.machine.candidate()


def follows_the_owners_line(scene):
    """The line that is printed installs the package; with other bytes behind its address it installs nothing."""
    line = scene.release(FIRST).splitlines()[-1].replace("sudo ", "")
    path = scene.machine.root / "etc/apt/sources.list.d/obd-agent.sources"
    right = (scene.owner.www / "obd-agent.sources").read_bytes()
    scene.web.replaced["obd-agent.sources"] = right.replace(b"Suites: stable", b"Suites: stolen")
    status, text = scene.machine.run("sh", "-c", line)
    assert status != 0 and "Hash Sum mismatch" in text and not path.exists(), text
    scene.web.honest()
    status, text = scene.machine.run("sh", "-c", line)
    assert status == 0 and scene.machine.installed() == FIRST, text
    status, text = scene.machine.run("obd-agent", "--version")
    assert status == 0, text


def upgrades(scene):
    """apt sees a new version and installs it; the configuration stays."""
    kept = scene.machine.root / "etc/obd-agent/agent.toml.d/own.toml"
    kept.write_text("# own\n")
    scene.release(SECOND)
    scene.web.honest()
    scene.updated()
    assert any("/by-hash/SHA256/" in path for path in scene.web.requests), scene.web.requests
    assert not any("/Packages" in path for path in scene.web.requests), scene.web.requests
    status, text = scene.machine.get("upgrade")
    assert status == 0 and scene.machine.installed() == SECOND, text
    assert kept.read_text() == "# own\n"


def goes_back(scene):
    """The version before is still there; apt takes it only if a human says so."""
    status, text = scene.machine.get("install", f"obd-agent={FIRST}")
    assert status != 0 and scene.machine.installed() == SECOND, text
    status, text = scene.machine.get("install", "--allow-downgrades", f"obd-agent={FIRST}")
    assert status == 0 and scene.machine.installed() == FIRST, text
    scene.machine.get("upgrade")
    assert scene.machine.installed() == SECOND


def serves_both_architectures(scene):
    """A machine that also takes arm64 has those packages from the same lists."""
    scene.machine.run("dpkg", "--add-architecture", "arm64")
    scene.updated()
    status, text = scene.machine.run("sh", "-c", "cd /tmp && apt-get download obd-agent:arm64 && ls")
    assert status == 0 and f"obd-agent_{SECOND}_arm64.deb" in text, text
    scene.machine.run("dpkg", "--remove-architecture", "arm64")


def updates_while_a_version_is_published(scene):
    """A client that has read the old InRelease gets the old lists and packages, though the new ones are there."""
    old = (scene.owner.www / "dists/stable/InRelease").read_bytes()
    scene.release(THIRD)
    scene.newcomer()
    scene.web.replaced["dists/stable/InRelease"] = old
    scene.updated()
    assert scene.machine.candidate() == SECOND, scene.machine.candidate()
    status, text = scene.machine.run("sh", "-c", "cd /tmp && apt-get download obd-agent")
    assert status == 0, text
    scene.web.honest()
    scene.updated()
    assert scene.machine.candidate() == THIRD, scene.machine.candidate()


def refuses_expired_lists(scene):
    """After Valid-Until apt takes nothing from the lists, whether it knew them before or not."""
    scene.owner.publish(url=scene.web.url, valid=SHORT)
    until = time.monotonic() + SHORT + 1
    scene.newcomer()
    scene.updated()
    assert scene.machine.candidate() == THIRD
    time.sleep(max(0, until - time.monotonic()))
    # Who froze the mirror: the same lists for ever.
    status, text = scene.machine.get("update")
    assert status == 100 and "expired" in text, (status, text)
    scene.refused("expired")
    scene.owner.publish(url=scene.web.url)
    scene.newcomer()
    scene.updated()


def refuses_wrong_signatures(scene):
    """Lists that are signed by another key, changed, or not signed at all."""
    name = "dists/stable/InRelease"
    right = (scene.owner.www / name).read_bytes()
    text = scene.owner.gpg("--decrypt", scene.owner.www / name)
    known = scene.machine.candidate()
    attacks = {
        "another key": (scene.owner.sign(text, scene.owner.other), "NO_PUBKEY|missing key|not signed"),
        "changed": (right.replace(b"Suite: stable", b"Suite: stolen", 1), "BADSIG|manipulated"),
        "not signed": (text, "NOSPLIT|clearsigned|not signed"),
        "no InRelease": (None, "has a Release file|not have a Release file"),
    }
    for attack, (data, answer) in attacks.items():
        scene.newcomer()
        scene.updated()
        scene.web.replaced[name] = data
        scene.web.ignores_age = True
        # Whoever knew the lists keeps them, and is warned.
        _, words = scene.machine.get("update")
        assert re.search(answer, words, re.IGNORECASE), (attack, words)
        assert scene.machine.candidate() == known, (attack, scene.machine.candidate())
        # Without this option apt may end with status 0.
        status, words = scene.machine.get("--error-on=any", "update")
        assert status == 100, (attack, status, words)
        scene.refused(answer)
        scene.web.honest()
    # A Release beside, without a signature, is none.
    scene.web.replaced = {name: None, "dists/stable/Release": text}
    scene.refused("not signed")
    scene.web.honest()


def refuses_changed_files(scene):
    """A list or a package whose bytes are not those that InRelease names, with the same and with another length."""
    scene.newcomer()
    scene.updated()
    file = next(scene.owner.www.rglob(f"obd-agent_{THIRD}_amd64.deb"))
    right, name = file.read_bytes(), str(file.relative_to(scene.owner.www))
    before = scene.machine.installed()
    flipped = right[: len(right) // 2] + bytes([right[len(right) // 2] ^ 1]) + right[len(right) // 2 + 1:]
    for data in (flipped, right + b"x", right[:-1]):
        scene.web.replaced[name] = data
        scene.machine.get("clean")
        status, text = scene.machine.get("install", f"obd-agent={THIRD}")
        assert status == 100 and re.search("mismatch|unexpected size|larger than", text, re.IGNORECASE), (status, text)
        assert scene.machine.installed() == before, scene.machine.installed()
    scene.web.honest()
    # Also a package of the past, under the name of the new one.
    older = next(scene.owner.www.rglob(f"obd-agent_{SECOND}_amd64.deb")).read_bytes()
    scene.web.replaced[name] = older
    status, text = scene.machine.get("install", f"obd-agent={THIRD}")
    assert status == 100 and scene.machine.installed() == before, text
    scene.web.honest()
    for path in scene.owner.www.glob("dists/stable/main/binary-amd64/by-hash/SHA256/*"):
        scene.web.replaced[str(path.relative_to(scene.owner.www))] = path.read_bytes()[:-1] + b"?"
    scene.refused("mismatch")
    scene.web.honest()
    scene.newcomer()
    scene.updated()


def bears_replayed_lists(scene):
    """Older lists: a client that knows newer ones keeps these; a newcomer believes them, until they expire."""
    scene.release("0.1.3", valid=3600)
    # Lists carry their time in whole seconds.
    time.sleep(1.1)
    old = scene.snapshot()
    scene.release("0.1.4", valid=3600)
    new = scene.owner.www
    scene.newcomer()
    scene.updated()
    assert scene.machine.candidate() == "0.1.4"
    scene.web.honest(old)
    scene.web.ignores_age = True
    scene.machine.get("update")
    assert scene.machine.candidate() == "0.1.4", scene.machine.candidate()
    # What apt does not notice.
    scene.newcomer()
    scene.updated()
    assert scene.machine.candidate() == "0.1.3", scene.machine.candidate()
    # No list of the past makes apt go back by itself.
    scene.web.honest(new)
    scene.updated()
    scene.machine.get("install", "obd-agent")
    assert scene.machine.installed() == "0.1.4"
    scene.web.honest(old)
    scene.web.ignores_age = True
    scene.newcomer()
    scene.updated()
    scene.machine.get("dist-upgrade")
    assert scene.machine.installed() == "0.1.4", scene.machine.installed()
    scene.web.honest(new)


def changes_its_key(scene):
    """With both keys old and new clients follow; with the new one alone only those that know it."""
    owner, machine = scene.owner, scene.machine
    old = (owner.www / "obd-agent.sources").read_text()
    owner.publish(url=scene.web.url, key=f"{owner.key} {owner.other}")
    both = (owner.www / "obd-agent.sources").read_text()
    for source in (old, both):
        machine.forget()
        machine.source(source)
        status, text = machine.get("update")
        assert status == 0 and machine.candidate() == "0.1.4", text
    owner.publish(url=scene.web.url, key=owner.other)
    machine.source(both)
    machine.forget()
    scene.updated()
    machine.source(old)
    scene.refused("NO_PUBKEY|missing key|not signed")
    owner.publish(url=scene.web.url)


ALL = [
    follows_the_owners_line, upgrades, goes_back, serves_both_architectures, updates_while_a_version_is_published,
    refuses_expired_lists, refuses_wrong_signatures, refuses_changed_files, bears_replayed_lists, changes_its_key,
]
