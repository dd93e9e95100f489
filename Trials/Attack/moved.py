# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""C1: the adapter of a parked vehicle is plugged into another one, and a command for the first one comes."""

import asyncio
import contextlib
import json

from keys import VEHICLE
from programs import free_port, listens
from switch import Switch
from victim import ALLOWED, Victim

HERE, THERE = "1HGCM82633A004352", "ZZZSMVLATR4700893"
STANDS = "--trip", "1", "--pause", "86400", "--codes", "P0301,P0420", "--obeys-control"


async def play(arena):
    raw = {"requests": ["14FFFFFF"], "ecu": "7E0"}
    await asyncio.gather(
        moved(arena, "named", VEHICLE, "clear_codes", {"confirm": "all", "wake": True}),
        moved(arena, "unnamed", HERE, "clear_codes", {"confirm": "all", "wake": True}),
        moved(arena, "test", VEHICLE, "run_test", {"test": "01", "data": "F000000001"}, wakes=True),
        moved(arena, "raw", VEHICLE, "raw_request", raw, wakes=True),
        stays(arena, "stays"),
        forbidden(arena, "forbidden"),
    )


def writes(served):
    """The number of replies of ECUs that changed something."""
    return sum(data[0] in (0x44, 0x48, 0x54, 0x6E, 0x6F, 0x71) for _, _, data in served)


def agent(arena, name, topic=VEHICLE, allow=ALLOWED):
    victim = Victim(
        arena,
        name,
        simulate=(*STANDS, "--vin", HERE),
        vehicle=[f'name = "{topic if topic != HERE else ""}"'],
        parking=["after_seconds = 30", "look_seconds = 10", "probes_per_hour = 12"],
        commands=[f"allow = {json.dumps(allow)}", "raw_writing = true"],
    )
    return victim


@contextlib.asynccontextmanager
async def parked(victim):
    """Puts a switch before the adapter, and waits until the vehicle is parked."""
    victim.switch = Switch(victim.vehicle_port)
    victim.adapter = f"tcp:127.0.0.1:{await victim.switch.start()}"
    async with victim:
        await victim.connected()
        await victim.until(
            lambda: any(json.loads(text).get("parked") for text in victim.broker.told("status")), "parked", 60
        )
        yield victim


async def moved(arena, name, topic, order, arguments, wakes=False):
    async with parked(agent(arena, name, topic)) as victim:
        other = victim.car(port := free_port(), "other", *STANDS, "--vin", THERE, "--seed", "7")
        victim.programs.append(other)
        other.start()
        await listens(port)
        await victim.switch.move(port)
        if wakes:
            # Only a clear wakes by itself, so these follow a wake at once.
            victim.broker.deliver(
                victim.command("wake", "wake", {"duration": 60}, aud=topic), topic=f"obd/{topic}/commands"
            )
        reason = await victim.obeys("moved", order, arguments, seconds=40, vehicle=topic)
        # Requests that were sent before the refusal are in the log by now.
        count = writes(victim.served("other"))
        arena.row(
            "C1",
            f"{order} for a parked vehicle ({name}) once its adapter is in another one",
            "refused; 0 writes to the other one",
            f"{reason}; {count} writes",
            reason in ("wrong_vehicle", "vehicle_unknown", "parked", "not_connected") and count == 0,
        )


async def stays(arena, name):
    async with parked(agent(arena, name)) as victim:
        reason = await victim.obeys("stays", "clear_codes", {"confirm": "all", "wake": True}, seconds=40)
        count = writes(victim.served())
        fine = reason in ("succeeded", "codes_remain") and count > 0
        arena.row(
            "C1",
            "the same clear where the adapter stays: the control",
            "the vehicle's codes are cleared",
            f"{reason}; {count} cleared",
            fine,
        )


async def forbidden(arena, name):
    allowed = [order for order in ALLOWED if order != "wake"]
    async with parked(agent(arena, name, allow=allowed)) as victim:
        served = len(victim.served())
        reason = await victim.obeys("forbidden", "clear_codes", {"confirm": "all", "wake": True}, seconds=40)
        asked = len(victim.served()) - served
        arena.row(
            "C1",
            "clear_codes with wake, and no wake in allow",
            "not_allowed; the vehicle is not asked",
            f"{reason}; {asked} replies",
            reason == "not_allowed" and asked == 0,
        )
