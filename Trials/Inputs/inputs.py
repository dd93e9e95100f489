#!/usr/bin/env python3
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Types wrong inputs into the programs, and judges how each ends.

Every error must have an exit status of its own kind, and say what failed, with which value, why, and what to do next.
Prints a table; ends with 1 if a row is not as it must be.

Usage: inputs.py PROGRAMS [--only WORD] [--table FILE]
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import rows
from stage import Stage

LIMIT = 60
#: The most characters of an error that are judged and shown.
SHOWN = 2000
NEXT = re.compile(r"Try: |Next: |--help|did you mean|must |needs |Please provide", re.IGNORECASE)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def prepare(stage):
    """Writes the files that the rows name."""
    folder = stage.folder
    (folder / "key.toml").write_text('[adapter]\nadres = "ble"\n')
    (folder / "parameter.toml").write_text(
        f'[adapter]\naddress = "{stage.adapter}"\n[mqtt]\nurl = "mqtt://127.0.0.1"\n[parameters]\nrpm = 1\n'
    )
    (folder / "client.toml").write_text(
        f'[adapter]\naddress = "{stage.adapter}"\n[mqtt]\nurl = "{stage.url("client", "mqtts")}"\n'
        f'ca_file = "{stage.files["ca"]}"\n'
    )
    orders = {"both": 'allow = ["describe"]\nallow_also = ["wake"]', "also": 'allow_also = ["clear_code"]'}
    for name, keys in orders.items():
        (folder / f"{name}.toml").write_text(
            f'[adapter]\naddress = "{stage.adapter}"\n[mqtt]\nurl = "mqtt://127.0.0.1"\n'
            f'[commands]\nunsigned_role = "specialist"\n{keys}\n'
        )
    (folder / "collect.toml").write_text('brokr = "mqtt://127.0.0.1"\n')
    (folder / "set.json").write_text(
        '{"commands": [{"hdr": "7E0", "cmd": {"22": "1234"}, "freq": 1,'
        ' "signals": [{"id": "A", "name": "A", "fmt": {"len": 8, "max": 255, "unit": "scalar"}}]}]}'
    )
    (folder / "target").write_text("kept\n")
    os.mkfifo(folder / "fifo")
    (folder / "link").symlink_to("target")
    (folder / "dangling").symlink_to("nowhere")
    try:
        os.mknod(folder / "null", 0o20666, os.makedev(1, 3))
    except PermissionError:
        # Without root, a device of the machine must do: an ordinary user cannot harm it.
        pass


def shell(stage, command, environment=None):
    """Runs a command line of a row; returns its status, its standard output and its standard error."""
    device = stage.folder / "null"
    text = command.replace("F/null", str(device) if device.exists() else "/dev/null")
    text = re.sub(r"(?<!%)\bF\b", str(stage.folder), text)
    text = text.replace("ADAPTER", stage.adapter).replace("PLAIN", stage.url("plain"))
    for word, name in [("AGENT", "obd-agent"), ("REMOTE", "obd-remote")]:
        text = text.replace(word, stage.programs[name])
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("OBD_AGENT_")}
    try:
        done = subprocess.run(
            ["bash", "-c", text], capture_output=True, timeout=LIMIT, stdin=subprocess.DEVNULL,
            env=inherited | (environment or {}), cwd=stage.folder,
        )
    except subprocess.TimeoutExpired:
        return None, "", f"has not ended within {LIMIT} s"
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def judge(stage, row):
    """Runs a row; returns its problems and the error that the user saw."""
    before = shell(stage, row.after[0])[1] if row.after else ""
    status, _, error = shell(stage, row.command, row.environment)
    error = error.replace(str(stage.folder), "F")[:SHOWN]
    problems = []
    if status != row.status:
        problems.append(f"ended with {status}, not {row.status}")
    lower = error.lower()
    says = [word.replace(str(stage.folder), "F") for word in row.says]
    problems += [f"does not say {word!r}" for word in says if word.lower() not in lower]
    if row.silent and error:
        problems.append("is not silent")
    if row.status and not row.silent and not NEXT.search(error):
        problems.append("has no next step")
    if CONTROL.search(error.replace("\n", "")):
        problems.append("has control characters")
    if "Fatal error" in error or "Stack dump" in error:
        problems.append("crashed")
    if row.after:
        after = shell(stage, row.after[0])[1]
        expected = before if row.after[1] == "before" else row.after[1]
        if after.strip() != expected.strip():
            problems.append(f"{row.after[0]} prints {after.strip()[:80]!r}, not {expected.strip()[:80]!r}")
    return problems, error.strip()


def main():
    options = argparse.ArgumentParser()
    options.add_argument("programs", type=pathlib.Path, help="the folder of the programs, or one of them")
    options.add_argument("--only", default="", help="only rows whose kind or command has this text")
    options.add_argument("--table", type=pathlib.Path, help="a file for the table in Markdown")
    choice = options.parse_args()
    programs = choice.programs.parent if choice.programs.is_file() else choice.programs
    stage = Stage(programs.resolve())
    try:
        prepare(stage)
        table = [row for row in rows.rows(stage) if choice.only in row.kind + " " + row.command]
        # Rows about files change the same ones, so they run one after another; all others run beside each other.
        alone = {"file", "closed pipe"}
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            futures = {id(row): pool.submit(judge, stage, row) for row in table if row.kind not in alone}
            results = [(row, futures[id(row)].result() if id(row) in futures else judge(stage, row)) for row in table]
    finally:
        stage.close()
    report(results, stage, choice.table)
    return any(problems for _, (problems, _) in results)


def report(results, stage, path):
    lines = ["| kind | typed | ends with | says |", "| --- | --- | --- | --- |"]
    for row, (problems, error) in results:
        command = row.command.replace(str(stage.folder), "F")
        command = command.replace("AGENT", "obd-agent").replace("REMOTE", "obd-remote")
        command = re.sub(r"127\.0\.0\.1:\d+", "HOST:PORT", command)
        cells = [row.kind, f"`{command}`", str(row.status), re.sub(r"127\.0\.0\.1:\d+", "HOST:PORT", error)]
        lines.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", "<br>") for cell in cells) + " |")
        print(f"{'FAILED' if problems else 'ok':7}{row.kind:14}{command}")
        for problem in problems:
            print(f"        {problem}")
        if problems:
            print("        " + error.replace("\n", "\n        "))
    if path:
        path.write_text("\n".join(lines) + "\n")
    bad = sum(bool(problems) for _, (problems, _) in results)
    print(f"{len(results)} inputs, {bad} not as they must be")


if __name__ == "__main__":
    sys.exit(main())
