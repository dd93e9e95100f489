# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""M4 and M5: redacted archives hold no personal data, and a vehicle can be forgotten."""

import asyncio
import io
import sqlite3
import tarfile

from outside import Car, Mosquitto, run, until
from programs import Program
from victim import Victim

VIN = "1HGCM82633A004352"
ALIAS, USERNAME, PIN, PASSWORD = "anna-kowalskas-car", "anna.kowalska", "4711", "only-anna-knows"
ADDRESS = "D4:36:39:AA:BB:CC"


async def play(arena):
    await given(arena)
    await asyncio.to_thread(forgotten, arena)


async def given(arena):
    """An archive of diagnose --redact."""
    directory = arena.directory / "archive"
    run_directory = directory / "run"
    directory.mkdir()
    run_directory.mkdir()
    victim = Victim(
        arena, "driven", simulate=("--trip", "86400", "--vin", VIN), environment={"RUNTIME_DIRECTORY": run_directory}
    )
    async with victim:
        await victim.connected()
        await victim.until(lambda: (run_directory / "status.json").exists(), "status")
        await asyncio.sleep(1)
        await victim.agent.stop()
    status = (run_directory / "status.json").read_text()
    (run_directory / "status.json").write_text(status[:-1] + f', "previous": "{VIN.lower()}", "address": "{ADDRESS}"}}')
    config = directory / "agent.toml"
    config.write_text(
        f'# {USERNAME} drives {VIN.lower()}\n[vehicle]\nidentity = "alias"\nexpected_vin = "{VIN}"\n'
        f'alias = {{ {VIN} = "{ALIAS}" }}\n'
        f'[adapter]\naddress = "ble:{ADDRESS}"\npin = "{PIN}"\n'
        f'[mqtt]\nurl = "mqtts://broker.example"\nusername = "{USERNAME}"\n'
        f'password_file = "/etc/obd-agent/{PASSWORD}"\n'
    )
    folder = directory / "agent.toml.d"
    folder.mkdir()
    (folder / "10-alias.toml").write_text(f'[mqtt]\nunits = "imperial"\n[vehicle.alias]\n{VIN} = "{ALIAS}"\n')
    out = directory / "out.tar"
    status, said, _ = run(
        [arena.binary, "diagnose", "--redact", "--config", config, "--directory", run_directory, "--output", out]
    )
    text = b""
    names = []
    with tarfile.open(fileobj=io.BytesIO(out.read_bytes())) as archive:
        for member in archive:
            names.append(member.name)
            text += archive.extractfile(member).read()
    lower = text.lower()
    for name, word in {
        "the VIN, as it is or in small letters": VIN,
        "the alias": ALIAS,
        "the user's name": USERNAME,
        "the adapter's PIN": f'"{PIN}"',
        "the adapter's address": ADDRESS,
        "the VIN in the dialogue's bytes": VIN.encode().hex(),
        "the VIN's end in the dialogue's bytes": VIN[-7:].encode().hex(),
    }.items():
        count = lower.count(word.lower().encode())
        arena.row(
            "M4",
            f"diagnose --redact: {name}",
            "is not in the archive",
            f"{count} times; exit status {status}",
            status == 0 and count == 0,
        )
    collected = b"imperial" in text
    arena.row(
        "M4",
        "diagnose: agent.toml.d",
        "is in the archive",
        f"{'collected' if collected else 'not collected'}: {', '.join(names)}",
        collected,
    )


def forgotten(arena):
    """A vehicle that is sold."""
    here = arena.directory / "forgotten"
    here.mkdir()
    state = here / "state"
    state.mkdir()
    with Mosquitto(here) as broker, Car(arena, here / "vehicle.log") as car:
        heard = []
        client = broker.client("#", heard)
        config = here / "agent.toml"
        config.write_text(
            f'[vehicle]\nname = "van"\n[adapter]\naddress = "{car.adapter}"\n[mqtt]\nurl = "{broker.url}"\n'
            f'[store]\ndirectory = "{state}"\nbatch_seconds = 0\n'
            '[parameters]\nengine_speed = 0.5\n[commands]\nunsigned_role = "specialist"\n[clock]\ntrust = "system"\n'
        )
        agent = Program([arena.binary, "run", "--config", str(config)], str(here / "agent.log"))
        agent.start()
        try:
            until(lambda: any(one.topic == "obd/van/vehicle" for one in heard), 40, "the vehicle")
            words = [
                arena.remote,
                "finding",
                "Coil of Anna's car.",
                "--broker",
                broker.url,
                "--vehicle",
                "van",
            ]
            run(words)
            until(lambda: any(one.topic == "obd/van/finding" for one in heard), 20, "the finding")
        finally:
            asyncio.run(agent.stop())
        with sqlite3.connect(state / "obd-agent.db") as database:
            vin = database.execute("SELECT vin FROM vehicles").fetchone()[0]
        database.close()
        (state / "obd-agent.db.corrupt-1").write_bytes(f"damaged {vin}".encode())
        status, said, _ = run([arena.binary, "forget", "van", "--yes", "--corrupt-files", "--config", config])
        arena.row("M5", "obd-agent forget van", "exit status 0", f"exit status {status}", status == 0)
        found = [
            f"{path.name}: {word}"
            for path in sorted(state.iterdir())
            for word in (vin, "Coil of Anna", "engine_speed")
            if word.encode() in path.read_bytes()
        ]
        arena.row(
            "M5",
            "what is left of it in the files",
            "no VIN, no finding, no samples",
            ", ".join(found) or "nothing",
            status == 0 and not found,
        )
        client.publish("settled", b"", qos=1).wait_for_publish(10)
        retained = []
        reader = broker.client("#", retained)
        broker.settle(reader)
        run(["sleep", "1"])
        left = sorted({one.topic for one in retained if one.retain and one.payload})
        arena.row(
            "M5",
            "what is left of it at the broker",
            "no retained topics, no discovery",
            f"{len(left)}: {', '.join(left)[:120]}" if left else "nothing",
            status == 0 and not left,
        )
