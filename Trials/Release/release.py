#!/usr/bin/env python3
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Runs the scripts of a release on a small project: what they make, what they refuse, which differences they find."""

import hashlib
import json
import pathlib
import shutil
import sys
import tempfile
import traceback

import project


def makes_a_release(own):
    """All files, checksums of each, a signature that gpgv accepts, a bill of materials that names everything."""
    done = own.release("v1.2.3", SIGNING_KEY=own.key)
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in own.output.iterdir())
    assert names == ["SHA256SUMS", "SHA256SUMS.asc", "obd-agent-1.2.3.spdx.json", "obd-agent-1.2.3.tar.xz",
                     "obd-agent_1.2.3_amd64.deb"], names
    sums = dict(reversed(line.split("  ")) for line in (own.output / "SHA256SUMS").read_text().splitlines())
    assert sums == {name: hashlib.sha256((own.output / name).read_bytes()).hexdigest() for name in names[2:]}, sums
    keyring = own.folder.parent / "owner.gpg"
    own.run("gpg", "--batch", "--yes", "--output", str(keyring), "--export", own.key)
    verify = ["gpgv", "--keyring", str(keyring), str(own.output / "SHA256SUMS.asc")]
    assert own.run(*verify, str(own.output / "SHA256SUMS")).returncode == 0
    assert own.run(*verify, str(own.output / "obd-agent-1.2.3.spdx.json")).returncode != 0
    document = json.loads((own.output / "obd-agent-1.2.3.spdx.json").read_text())
    assert document["spdxVersion"] == "SPDX-2.3"
    packages = {each["name"]: each for each in document["packages"]}
    assert packages["swift-log"]["downloadLocation"].endswith("swift-log.git@c2cb5297956b2a95420f70d1f51e8dc4b4f94708")
    assert packages["swift-log"]["versionInfo"] == "1.16.2" and packages["swift"]["versionInfo"] == "6.3.1"
    assert packages["obd-agent_1.2.3_amd64.deb"]["checksums"][0]["checksumValue"] == sums["obd-agent_1.2.3_amd64.deb"]
    here = own.run("dpkg-query", "--show", "--showformat", "${Version}", "make").stdout
    assert packages["make"]["versionInfo"] == here, packages["make"]
    known = {each["SPDXID"] for each in document["packages"]} | {"SPDXRef-DOCUMENT"}
    assert len(known) == len(document["packages"]) + 1
    for link in document["relationships"]:
        assert {link["spdxElementId"], link["relatedSpdxElement"]} <= known, link
    kinds = {link["relationshipType"] for link in document["relationships"]}
    of_the_build = {"STATIC_LINK", "DEPENDS_ON", "BUILD_TOOL_OF", "BUILD_DEPENDENCY_OF", "CONTAINS"}
    assert kinds == {"DESCRIBES", "GENERATED_FROM"} | of_the_build, kinds


def takes_the_tag_alone(own):
    """Neither changed nor new files of the working tree get into a release."""
    before = (own.output / "SHA256SUMS").read_text()
    own.write("README", "of the working tree\n")
    own.write("new", "x")
    done = own.release("v1.2.3", SIGNING_KEY="none")
    assert done.returncode == 0 and "not signed" in done.stdout, done.stderr
    assert (own.output / "SHA256SUMS").read_text() == before
    assert not (own.output / "SHA256SUMS.asc").exists()
    own.git("checkout", "README")
    (own.folder / "new").unlink()


def refuses_mistakes(own):
    """Each mistake ends it with the next step, before a build, and leaves the files of before."""
    before = (own.output / "SHA256SUMS").read_text()
    own.git("tag", "v9.9.9")
    none = {"SIGNING_KEY": "none"}
    cases = [
        ([], none, "no tag is named"),
        (["v0.0.1"], none, 'knows no tag "v0.0.1"'),
        (["main"], none, 'knows no tag "main"'),
        (["v9.9.9"], none, "debian/changelog in it is about 1.2.3"),
        (["v1.2.3"], {}, "no key signs the release"),
        (["v1.2.3"], {"SIGNING_KEY": ""}, "no key signs the release"),
        (["v1.2.3"], {"SIGNING_KEY": "0123456789ABCDEF"}, "no secret key"),
    ]
    for words, variables, answer in cases:
        done = own.release(*words, **variables)
        assert done.returncode != 0 and answer in done.stderr and "Try: " in done.stderr, (words, done.stderr)
    own.write(".swift-version", "5.0\n")
    own.commit()
    done = own.release("--commit", "HEAD", **none)
    assert done.returncode != 0 and "built with Swift 5.0, here is 6.3.1" in done.stderr, done.stderr
    own.write(".swift-version", "6.3.1\n")
    # A version that Package.swift leaves open.
    text = (own.folder / "Package.swift").read_text()
    own.write("Package.swift", text.replace("exact:", "from:"))
    own.commit()
    done = own.release("--commit", "HEAD", **none)
    assert done.returncode != 0 and "swift-log is 1.16.2; Package.swift does not say so" in done.stderr, done.stderr
    own.write("Package.swift", text)
    own.commit()
    assert (own.output / "SHA256SUMS").read_text() == before


def finds_differences(own):
    """The comparison passes for a build that tells nothing of its surroundings, and fails for each that does."""
    done = own.run("scripts/reproducible")
    assert done.returncode == 0 and "made the same 4 files" in done.stdout, done.stdout + done.stderr
    makefile = (own.folder / "Makefile").read_text()
    for name, command in project.TELLTALES.items():
        own.write("Makefile", makefile.replace(project.SAME, command))
        own.commit()
        done = own.run("scripts/reproducible")
        assert done.returncode == 1, (name, done.stdout)
        for word in ("obd-agent_1.2.3_amd64.deb differs", "SHA256SUMS differs", "first/content", "3 of 4 files differ"):
            assert word in done.stderr, (name, word, done.stderr)
    own.write("Makefile", makefile)


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="obd-release-"))
    own = project.Project(folder)
    passed = failed = 0
    for check in (makes_a_release, takes_the_tag_alone, refuses_mistakes, finds_differences):
        try:
            check(own)
            passed += 1
            print(f"ok    {check.__name__.replace('_', ' ')}", flush=True)
        except Exception:
            failed += 1
            print(f"FAIL  {check.__name__.replace('_', ' ')}\n{traceback.format_exc()}", flush=True)
    own.close()
    shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
