# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""What goes away between a vehicle and the one who looks on, and how it comes back."""

import asyncio
import dataclasses
import signal

from scene import PARAMETERS

# The age in seconds up to which a value may look live, by docs/contract, "How old a value is": 60 of "live_within", 10
# for the way, and the interval. So it is where no lamp goes out.
LIMIT = 70 + max(PARAMETERS.values())
# Where a lamp goes out, the values are the last known ones at once: this is for slow machines.
AT_ONCE = 5
# Three heartbeats of the agent at its socket, by docs/reference/local-socket.md.
HEARTBEATS = 15


@dataclasses.dataclass(frozen=True)
class Break:
    name: str
    title: str
    # The lamp that is dark at the end; None where more than one may be.
    lamp: str | None
    # Seconds until no value may look live any more.
    limit: float
    # Coroutines of a scene.
    begin: object
    mend: object
    # Whether the way from the vehicle to the agent's socket stays whole: there only the lamp of the broker goes out.
    spares_socket: bool = False
    # The limit at the agent's socket, if it is another one.
    socket_limit: float | None = None


async def kill_broker(scene):
    scene.broker.kill()


async def forget(scene):
    """The broker comes back at once without what it kept, and the agent does not reach it."""
    scene.stall("agent")
    scene.broker.kill()
    await asyncio.sleep(1)
    await scene.start_broker()


async def kill_agent(scene):
    scene.agent.kill()


async def start_agent(scene):
    scene.agent.start()


async def stop_agent(scene):
    scene.agent.process.send_signal(signal.SIGSTOP)


async def continue_agent(scene):
    scene.agent.process.send_signal(signal.SIGCONT)


async def kill_vehicle(scene):
    scene.vehicle.kill()


async def stall_all(scene):
    scene.stall("agent", "viewers", "page")


async def stall_agent(scene):
    scene.stall("agent")


async def flow(scene):
    scene.flow()
    await asyncio.sleep(0)


async def freeze(scene):
    scene.freeze_vehicle()


async def thaw(scene):
    scene.thaw_vehicle()


BREAKS = {
    one.name: one
    for one in (
        Break("broker", "broker killed", "broker", AT_ONCE, kill_broker, lambda scene: scene.start_broker(), True),
        Break("forgotten", "broker restarted, agent cut off", "agent", AT_ONCE, forget, flow, True),
        Break("agent", "agent killed", "agent", AT_ONCE, kill_agent, start_agent),
        Break("hung", "agent stopped", "agent", LIMIT, stop_agent, continue_agent, socket_limit=HEARTBEATS),
        Break("adapter", "adapter gone", "link", AT_ONCE, kill_vehicle, lambda scene: scene.start_vehicle()),
        Break("frozen", "adapter silent", None, LIMIT, freeze, thaw),
        Break("uplink", "agent's network stalled", "agent", LIMIT, stall_agent, flow, True),
        Break("network", "broker's network stalled", "broker", LIMIT, stall_all, flow, True),
    )
}
