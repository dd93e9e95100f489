# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""What happens to the folder: additions, bounds, interruptions, changes by others."""

import re
import shutil
import subprocess


def keeps_the_newest(owner):
    """Three versions of a package stay, by Debian's order and for each architecture."""
    for version in ("1.0~rc1", "1.0", "1.9", "1.10", "2:0.1"):
        owner.empty()
        owner.package("obd-tiny", version)
        owner.package("obd-tiny", version, "arm64")
        owner.publish()
    assert owner.versions("amd64") == owner.versions("arm64"), owner.versions("arm64")
    assert sorted(owner.versions()) == ["1.10", "1.9", "2:0.1"], owner.versions()
    pool = sorted(path.name for path in owner.www.rglob("*_amd64.deb"))
    # Those of the lists before stay for clients that have just read these; no others do.
    assert pool == [f"obd-tiny_{each}_amd64.deb" for each in ("0.1", "1.0", "1.10", "1.9")], pool
    owner.empty()
    owner.publish()
    assert len(list(owner.www.rglob("*_amd64.deb"))) == 3
    assert len(list(owner.www.rglob("by-hash/SHA256/*"))) == 6
    owner.package("obd-tiny", "0.5")
    done = owner.attempt()
    assert done.returncode == 1 and "older than the 3 newest" in done.stderr, done.stderr
    owner.empty()


def serves_all(owner):
    """A package for all architectures is in the lists of each."""
    owner.package("obd-everywhere", "1", "all")
    owner.publish()
    owner.empty()
    assert owner.versions("amd64", "obd-everywhere") == owner.versions("arm64", "obd-everywhere") == ["1"]


def leaves_invented_versions_out(owner):
    """Of the agent's packages only the named version is published; those of other sources have their own versions."""
    owner.package("obd-agent", "1.0")
    owner.package("obd-agent", "1.0+next")
    owner.package("obd-signals", "20261126", "all")
    assert "left out: " in owner.publish(only="1.0")
    owner.empty()
    assert owner.versions(package="obd-agent") == ["1.0"] and owner.versions(package="obd-signals") == ["20261126"]


def serves_suites_apart(owner):
    """A second suite takes nothing from the first."""
    before = owner.versions()
    owner.package("obd-tiny", "9")
    owner.publish(suite="testing")
    owner.empty()
    owner.publish()
    assert owner.versions() == before, owner.versions()
    assert owner.versions(suite="testing") == ["9"], owner.versions(suite="testing")


def refuses_changes(owner):
    """A published version cannot change, and a folder that others changed is not signed."""
    owner.package("obd-tiny", "2:0.1", content="y")
    done = owner.attempt()
    assert done.returncode == 1 and "differs from the published" in done.stderr, done.stderr
    owner.empty()
    attacks = {
        "pool/main/o/obd-tiny/obd-tiny_0.1_amd64.deb": "is not what was published",
        "dists/stable/InRelease": "gpg failed",
    }
    for name, answer in attacks.items():
        path = owner.www / name
        right = path.read_bytes()
        path.write_bytes(right.replace(b"Description", b"description") if name.endswith("InRelease") else right + b"x")
        done = owner.attempt()
        assert done.returncode == 1 and answer in done.stderr, done.stderr
        path.write_bytes(right)
    # The lists that a stranger signed.
    path = owner.www / "dists/stable/InRelease"
    right = path.read_bytes()
    text = owner.gpg("--decrypt", path)
    home = owner.folder / "stranger"
    home.mkdir(mode=0o700)
    stranger = {**owner.environment, "GNUPGHOME": str(home)}
    for command, data in (
        (["--passphrase", "", "--quick-generate-key", "stranger", "ed25519", "sign", "1d"], None),
        (["--clearsign"], text),
    ):
        command = ["gpg", "--batch", "--quiet", *command]
        made = subprocess.run(command, input=data, env=stranger, capture_output=True, check=True)
    subprocess.run(["gpgconf", "--kill", "all"], env=stranger, check=True)
    path.write_bytes(made.stdout)
    done = owner.attempt()
    assert done.returncode == 1, done.stdout
    path.write_bytes(right)
    owner.publish()


def survives_interruptions(owner):
    """A run that ends at any write leaves the lists of before or the new ones, whole; the next run mends the rest."""
    reference = owner.folder / "before"
    shutil.copytree(owner.www, reference)
    owner.package("obd-tiny", "3:1")
    owner.package("obd-tiny", "3:1", "arm64")
    before = owner.versions()
    writes = 1
    while owner.interrupted(writes):
        assert owner.versions() == before, f"after write {writes}: {owner.versions()}"
        owner.publish()
        assert "3:1" in owner.versions() and "3:1" in owner.versions("arm64")
        assert not list(owner.www.rglob(".*")), list(owner.www.rglob(".*"))
        # A client that read the lists before finds all that they name.
        release = (reference / "dists/stable/InRelease").read_text()
        for digest, name in re.findall(r"^ ([0-9a-f]{64}) +\d+ (\S+)$", release, re.MULTILINE):
            assert (owner.www / "dists/stable" / name).parent.joinpath("by-hash/SHA256", digest).exists(), name
        for path in reference.rglob("*.deb"):
            assert (owner.www / path.relative_to(reference)).exists(), path
        shutil.rmtree(owner.www)
        shutil.copytree(reference, owner.www)
        writes += 1
    assert writes > 12, writes
    owner.empty()


def explains_mistakes(owner):
    """A mistake has an error with the next step, and changes nothing."""
    foreign = owner.package("obd-tiny", "1", "armhf")
    cases = [
        ({"directory": ""}, "no folder is named"),
        ({"key": ""}, "no key is named"),
        ({"key": "0123456789ABCDEF"}, "no secret key"),
        ({"suite": "../x"}, "no name of a suite"),
        ({"keep": 0}, "KEEP is 0"),
        ({"valid": 0}, "valid for 0 s"),
        ({"url": "apt.example.org"}, "URL=https://"),
        ({}, f"{foreign} is for none of"),
    ]
    before = owner.versions()
    for options, answer in cases:
        done = owner.attempt(**options)
        assert done.returncode == 1 and answer in done.stderr and "Try: " in done.stderr, (options, done.stderr)
    assert owner.versions() == before
    owner.empty()
    done = owner.attempt(directory=owner.folder / "empty")
    assert done.returncode == 1 and "there are no packages" in done.stderr, done.stderr


ALL = [
    keeps_the_newest, serves_all, leaves_invented_versions_out, serves_suites_apart, refuses_changes,
    survives_interruptions, explains_mistakes,
]
