# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""M2: texts of others with escape sequences for a terminal or formulas for a spreadsheet."""

import asyncio
import contextlib
import csv
import io
import json
import sqlite3
import time

from outside import Mosquitto, printable, run
from victim import Victim

# Colours, the title, a line of its own, C1 in place of ESC, letters from right to left, a line separator.
EVIL = "\x1b[31mred\x1b]0;title\x07\nforged line\r\x9b2J\u202egnp\u2028\u200b\x7f"
FORMULA = '=HYPERLINK("http://127.0.0.1","x")'


async def play(arena):
    victim = Victim(arena, "left", environment={"RUNTIME_DIRECTORY": arena.directory})
    async with victim:
        await victim.connected()
        await victim.obeys("finding", "record_finding", {"text": FORMULA, "codes": ["P0301"]})
        await logged(arena, victim)
        await asyncio.sleep(2)
        await victim.agent.stop()
    await asyncio.to_thread(kept, arena, victim)
    await asyncio.to_thread(given, arena, victim)
    await asyncio.to_thread(far, arena)
    arena.row(
        "M2",
        "scan, and names of Bluetooth LE devices",
        "no control characters",
        "takes a radio: the unit tests have it",
        None,
    )


async def logged(arena, victim):
    """Log lines about a stranger's messages."""
    for payload in (
        json.dumps({"id": EVIL, "command": EVIL, EVIL: 1}, ensure_ascii=False),
        json.dumps({EVIL: 1}),
        json.dumps({"command": EVIL, "id": "x"}),
        json.dumps({"id": "log", "command": EVIL, "issued_at": EVIL, "expires_at": EVIL}, ensure_ascii=False),
    ):
        victim.broker.deliver(payload.encode())
        await asyncio.sleep(1.1)
    victim.broker.deliver(victim.keys.sign({"iss": EVIL, "aud": EVIL, "jti": EVIL, "command": EVIL}))
    victim.broker.deliver(victim.keys.sign({"iss": "x"}, kid=EVIL))
    victim.broker.deliver(victim.command("evil", "record_finding", {"text": "x", "codes": [EVIL]}))
    victim.broker.deliver(victim.command("evil-2", "select_parameters", {"parameters": {EVIL: 1}}))
    victim.broker.deliver(
        b"online",
        topic="homeassistant/status"
        + EVIL.replace("\x1b", "")
        .replace("\x07", "")
        .replace("\n", "")
        .replace("\r", "")
        .replace("\x7f", "")
        .replace("\x9b", ""),
    )
    await asyncio.sleep(2)
    odd = printable((victim.directory / "agent.log").read_bytes())
    arena.row("M2", "the agent's log, and strangers' messages", "no control characters", odd or "none", not odd)


def shown(arena, name, words, status_of=(0,)):
    status, output, _ = run(words, 20)
    # RFC 4180 has CR and LF behind each row, and lets a cell have several lines.
    is_table = "export" in words and "jsonl" not in words
    odd = printable(output.replace(b"\r", b"") if is_table else output)
    is_forged = not is_table and any(line.startswith(b"forged line") for line in output.split(b"\n"))
    arena.row(
        "M2",
        name,
        "no control characters, no line of its own",
        f"{odd or 'none'}{'; a line of its own' if is_forged else ''}; exit status {status}",
        not odd and not is_forged and status in status_of,
    )
    return output


def kept(arena, victim):
    """The database of an agent that was taken over, or whose vehicle, adapter or specialists said what they liked."""
    config = ["--config", victim.configuration]
    status, output, _ = run([arena.binary, "export", *config, "--what", "findings"], 20)
    rows = list(csv.reader(io.StringIO(output.decode())))
    cells = [cell for row in rows for cell in row if "HYPERLINK" in cell]
    arena.row(
        "M2",
        "export of a finding that is a formula",
        "no cell begins with =, +, - or @",
        f"{cells}; exit status {status}",
        status == 0 and cells and not any(cell[0] in "=+-@\t\r" for cell in cells),
    )
    with contextlib.closing(sqlite3.connect(victim.directory / "state/obd-agent.db")) as database, database:
        finding = json.loads(database.execute("SELECT body FROM findings").fetchone()[0])
        finding |= {"text": f"x{EVIL}", "issuer": EVIL, "codes": [EVIL]}
        database.execute("UPDATE findings SET body = ?", (json.dumps(finding).encode(),))
        database.execute(
            "UPDATE last_values SET label = ?, unit = ?, value = '\"x\"' WHERE series = 'coolant_temperature'",
            (EVIL, EVIL),
        )
        database.execute("UPDATE last_values SET series = ?, ecu = ? WHERE series = 'engine_speed'", (EVIL, EVIL))
        database.execute("UPDATE telemetry SET body = replace(cast(body AS TEXT), '\"7E8\"', ?)", (json.dumps(EVIL),))
        database.execute("UPDATE vehicles SET vin = ?", (EVIL,))
    for words in (
        ["vehicles"],
        ["vehicles", "--json"],
        ["last"],
        ["last", "--json"],
        ["finding", "--all"],
        ["finding", "--all", "--json"],
        ["export", "--what", "findings"],
        ["export", "--what", "samples"],
        ["export", "--what", "samples", "--format", "jsonl"],
        ["export", "--layout", "wide"],
        ["export", "--what", "codes"],
    ):
        shown(arena, f"{' '.join(words)} of texts with escape sequences", [arena.binary, *words, *config], (0, 66))
    with contextlib.closing(sqlite3.connect(victim.directory / "state/obd-agent.db")) as database, database:
        for table in ("vehicles", "last_values", "findings", "telemetry"):
            column = "name" if table == "vehicles" else "vehicle"
            database.execute(f"UPDATE {table} SET {column} = ?", (EVIL,))
    shown(arena, "vehicles with a name of escape sequences", [arena.binary, "vehicles", *config], (0, 66))
    shown(arena, "last, which chooses it", [arena.binary, "last", *config, "--vehicle", "nobody"], (0, 64, 66))


def given(arena, victim):
    """Files of others: a dialogue, and a signal set."""
    transcript = (arena.directory / "transcript.0").read_text()
    place = arena.directory / "evil.transcript"
    escaped = "".join(f"\\x{byte:02X}" for byte in EVIL.replace("\n", "").replace("\r", "").encode())
    place.write_text(transcript.replace("ELM327 v1.5", f"ELM327 {escaped} v1.5"))
    shown(arena, "replay of a dialogue with escape sequences", [arena.binary, "replay", place], (0, 65, 66))
    place.write_text(transcript.replace("version=0.1.0", "version=\x1b[31m").replace("boot=", "boot=\x9b"))
    shown(arena, "replay of such a head", [arena.binary, "replay", place], (0, 65, 66))
    good = {"id": "GOOD", "path": "x", "name": "x", "fmt": {"len": 8, "max": 100, "unit": "percent"}}
    for number, (name, signal, others) in enumerate(
        [
            ("names", good | {"name": EVIL, "path": EVIL}, {}),
            ("identifiers", good | {"id": EVIL}, {}),
            ("units", good | {"fmt": {"len": 8, "max": 1, "unit": EVIL}}, {}),
            ("keys", good | {EVIL: 1}, {EVIL: 1}),
            ("what is left out", good, {"synthetics": [{"id": EVIL}]}),
            ("values", good | {"fmt": {"len": EVIL}}, {}),
        ]
    ):
        place = arena.directory / f"evil-{number}.json"
        command = {"hdr": "7E4", "rax": "7EC", "cmd": {"22": "0101"}, "freq": 1, "signals": [signal]}
        place.write_text(json.dumps({"commands": [command]} | others))
        shown(
            arena,
            f"parameters import of {name} with escape sequences",
            [arena.binary, "parameters", "import", place],
            (0, 65, 66),
        )
    place = arena.directory / "evil.toml"
    place.write_text(
        '[mqtt]\nurl = "mqtt://127.0.0.1:1"\n[adapter]\naddress = "tcp:127.0.0.1:1"\n[vehicle]\n'
        + json.dumps(EVIL)
        + " = 1\n",
        encoding="utf-8",
    )
    shown(arena, "check of such a key", [arena.binary, "check", "--config", place], (78,))
    shown(arena, "decode of such a code", [arena.binary, "decode", EVIL], (0, 64, 65))


def far(arena):
    """Retained messages of somebody who may publish, or of the broker."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    with Mosquitto(arena.directory) as broker:
        client = broker.client()

        def retain(path, payload):
            client.publish(
                f"obd/van/{path}", payload if isinstance(payload, bytes) else json.dumps(payload), qos=1, retain=True
            )

        retain("availability", b"online")
        retain(
            "status",
            {
                "v": 1,
                "agent": EVIL,
                "version": EVIL,
                "time": now,
                "link": "connected",
                "vehicle_confirmed": True,
                "dialect": EVIL,
                "adapter": {"name": EVIL, "address": EVIL, "model": EVIL},
                "protocol": EVIL,
                "problem": EVIL,
                "wrong_vehicle": EVIL,
            },
        )
        retain(
            "vehicle",
            {
                "v": 1,
                "vin": EVIL,
                "time": now,
                "protocol": EVIL,
                "ecus": [{"ecu": EVIL, "name": EVIL, "calibrations": [EVIL]}],
            },
        )
        retain(
            "codes",
            {
                "v": 1,
                "known": True,
                "time": now,
                "mil": True,
                "codes": [
                    {
                        "code": EVIL,
                        "description": EVIL,
                        "ecu": EVIL,
                        "ecus": [{"ecu": EVIL, "states": ["stored"]}],
                        "states": ["stored"],
                        "category": EVIL,
                        "group": EVIL,
                    }
                ],
            },
        )
        retain(
            "finding",
            {"v": 1, "id": EVIL, "time": now, "severity": "info", "text": f"x{EVIL}", "codes": [EVIL], "issuer": EVIL},
        )
        retain(
            "parameters/engine_speed",
            {"value": EVIL, "unit": EVIL, "label": EVIL, "time": now, "ecu": EVIL, "quality": EVIL},
        )
        retain("parameters/odd\u202e", {"value": 1, "unit": EVIL, "time": now, "ecu": "7E8", "quality": "good"})
        broker.settle(client)
        where = ["--broker", broker.url, "--timeout", "5s"]
        for words in (["list"], ["list", "--json"], ["codes", "--last"], ["finding"], ["describe"]):
            vehicle = [] if words[0] == "list" else ["--vehicle", "van"]
            shown(
                arena,
                f"obd-remote {' '.join(words)} of such messages",
                [arena.remote, *words, *where, *vehicle],
                (0, 69, 75, 77),
            )
        shown(
            arena,
            "obd-remote watch of such messages",
            [arena.remote, "watch", *where, "--vehicle", "van", "--for", "3s"],
        )
        shown(
            arena,
            "obd-remote watch --json of them",
            [arena.remote, "watch", *where, "--vehicle", "van", "--for", "3s", "--json"],
        )
