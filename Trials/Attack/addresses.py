# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""H5: requests under identifiers at which ECUs listen that know no services."""

import asyncio
import subprocess

from switch import Switch
from victim import Victim

# Request and header: what the driver's assistance, the engine and the network management listen to.
REQUESTS = {
    "can-11-500": (("22AABBCCDDEEFF", "0C1"), ("3EFF", "000"), ("22F190", "1A0"), ("0100", "3B4"), ("22F190", "5FF")),
    "can-29-500": (("19020D", "18FEF100"), ("22F190", "0CF00400"), ("3EFF", "18EAFFF9")),
}
CONTROL = {"can-11-500": "7E0", "can-29-500": "18DA10F1"}
HEADERS = "000", "0C1", "3B4", "5FF", "18FEF100", "0CF00400"


async def play(arena):
    await asyncio.gather(*(moving(arena, bus) for bus in REQUESTS), standing(arena), asyncio.to_thread(polled, arena))


async def moving(arena, bus):
    """The vehicle moves, and nothing that writes is allowed."""
    victim = Victim(
        arena, f"moving-{bus}", simulate=("--trip", "86400", "--protocol", bus), parameters=["vehicle_speed = 0.5"]
    )
    switch = Switch(victim.vehicle_port)
    victim.adapter = f"tcp:127.0.0.1:{await switch.start()}"
    async with victim:
        await victim.connected()
        for number, (request, header) in enumerate(REQUESTS[bus]):
            reason = await victim.obeys(f"raw-{number}", "raw_request", {"requests": [request], "ecu": header})
            answer = victim.broker.last_answer(f"raw-{number}")
            sent = was_sent(switch.sent, header)
            arena.row(
                "H5",
                f"raw_request {request} to {header}, raw_writing off, engine running",
                "refused; the adapter is not told the address",
                f"{reason}; {'addressed' if sent else 'not addressed'}",
                answer and answer["state"] == "refused" and not sent,
            )
        reason = await victim.obeys("raw", "raw_request", {"requests": ["0100"], "ecu": CONTROL[bus]})
        arena.row(
            "H5",
            f"0100 to {CONTROL[bus]}: the control",
            "asked",
            reason,
            reason == "succeeded" and was_sent(switch.sent, CONTROL[bus]),
        )


async def standing(arena):
    """Requests that write are allowed; the engine runs, so none is sent."""
    victim = Victim(arena, "writing", commands=["raw_writing = true"])
    switch = Switch(victim.vehicle_port)
    victim.adapter = f"tcp:127.0.0.1:{await switch.start()}"
    async with victim:
        await victim.connected()
        reason = await victim.obeys("raw", "raw_request", {"requests": ["22AABBCCDDEEFF"], "ecu": "0C1"})
        sent = was_sent(switch.sent, "0C1")
        arena.row(
            "H5",
            "raw_request to 0C1, raw_writing on, engine running",
            "refused; the adapter is not told the address",
            f"{reason}; {'addressed' if sent else 'not addressed'}",
            reason != "succeeded" and not sent,
        )


def was_sent(data, header):
    """Whether the adapter received the header, whole or without its priority."""
    text = bytes(data).decode("ascii", "replace").upper().replace(" ", "")
    return any(f"ATSH{name}\r" in text for name in (header, header[2:]))


def polled(arena):
    """Custom parameters, in the configuration and in a set of others'."""
    seen = []
    parameter = (
        "{}title = \"x\"\nrequest = \"22AABB\"\nheader = \"{}\"\nreceive = \"7E8\"\nformula = \"A\"\ninterval = 0.1\n"
    )
    for header in (*HEADERS, "7E4"):
        for kind in ("custom", "set"):
            path = arena.directory / f"{header}-{kind}.toml"
            text = '[adapter]\naddress = "tcp:127.0.0.1:1"\n[mqtt]\nurl = "mqtt://127.0.0.1:1"\n'
            if kind == "set":
                (arena.directory / f"{header}.toml").write_text(parameter.format("[custom.odd]\n", header))
                text += f'[parameters]\nsets = ["{arena.directory}/{header}.toml"]\n'
            else:
                text += parameter.format("[custom.odd]\n", header)
            path.write_text(text)
            done = subprocess.run(
                [arena.binary, "check", "--config", path],
                capture_output=True,
                text=True,
                timeout=60,
                stdin=subprocess.DEVNULL,
            )
            seen.append((kind, header, done.returncode))
    taken = [f"{kind} {header}" for kind, header, status in seen if status != 78 and header != "7E4"]
    control = {status for _, header, status in seen if header == "7E4"}
    arena.row(
        "H5",
        "custom parameters with such headers, in the configuration and in sets",
        "refused by check: 78; not so 7E4",
        f"taken: {', '.join(taken) or 'none'}; 7E4: {sorted(control)}",
        not taken and 78 not in control,
    )
