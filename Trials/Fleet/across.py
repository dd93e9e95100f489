# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""One agent at one node of a cluster, and somebody at the other: what goes across."""

import asyncio
import datetime
import json
import pathlib
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Chaos"))

from consumer import Consumer
from programs import Program, beside, free_port, listens


def order(identity):
    now = datetime.datetime.now(datetime.timezone.utc)
    times = {"issued_at": now.isoformat(), "expires_at": (now + datetime.timedelta(minutes=2)).isoformat()}
    return json.dumps({"id": identity, "command": "describe", "arguments": {}, **times})


async def across(cluster, options, directory):
    """Tells whether the will of a killed agent is heard, and whether a command waits for it; whether both is so."""
    here, there = cluster.nodes
    heard = []
    listener = Consumer("there", there.port, lambda broker, at, topic, payload, *_: heard.append((topic, payload)), ["one/van/#"], "desk")
    port = free_port()
    car = Program([beside(options.binary, "obd-simulator"), "--tcp", f"127.0.0.1:{port}"], f"{directory}/car.log")
    configuration = pathlib.Path(directory, "van.toml")
    configuration.write_text("\n".join([
        "[vehicle]", 'name = "van"', "[adapter]", f'address = "tcp:127.0.0.1:{port}"', "[mqtt]", f'url = "{here.url}"', 'username = "van"', 'topic_prefix = "one"',
        f'password_file = "{directory}/password"', "[clock]", 'trust = "system"', "[store]", f'directory = "{directory}/van"', "",
    ]))
    pathlib.Path(directory, "van").mkdir()
    agent = Program([options.binary, "run", "--config", str(configuration)], f"{directory}/van.log")

    async def comes(condition):
        deadline = time.monotonic() + 40
        while time.monotonic() < deadline:
            if any(condition(topic, payload) for topic, payload in list(heard)):
                return True
            await asyncio.sleep(0.1)
        return False

    try:
        await asyncio.to_thread(listener.subscribed.wait, 10)
        car.start()
        await listens(port)
        agent.start()
        is_there = await comes(lambda topic, payload: topic == "one/van/vehicle")
        agent.kill()
        will = await comes(lambda topic, payload: (topic, payload) == ("one/van/availability", b"offline"))
        listener.publish("one/van/commands", order("meanwhile"), 1)
        await asyncio.sleep(1)
        agent.start()
        waited = await comes(lambda topic, payload: b'"meanwhile"' in payload and b'"succeeded"' in payload)
        print(f"one agent: values {told(is_there)}, the will {told(will)}, a command that waited in its session {told(waited)}", flush=True)
        return is_there and will and waited
    finally:
        listener.close()
        for program in (agent, car):
            program.kill()


def told(is_so):
    return "came" if is_so else "did not come"
