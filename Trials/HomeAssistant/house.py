# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A stock Home Assistant in this process: its start, what a user does with it, and what it shows."""

import asyncio
import contextlib
import pathlib
import re
import socket
import sqlite3
import textwrap
import time

from stage import Failure, free_port

from homeassistant import auth, bootstrap, config, const, core, loader
from homeassistant.config_entries import ConfigEntries, ConfigEntryState
from homeassistant.helpers import device_registry, entity_registry
from homeassistant.helpers import recorder as recorder_helper
from homeassistant.setup import async_setup_component

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNKNOWN = (None, const.STATE_UNAVAILABLE, const.STATE_UNKNOWN)


async def wait(what, look, limit=60):
    """What `look` says once that is true."""
    end = time.monotonic() + limit
    while not (found := look()):
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {limit} s")
        await asyncio.sleep(0.1)
    return found


def expect(what, condition, got=""):
    if not condition:
        raise Failure(f"{what}: {got}")
    print(f"ok    {what}", flush=True)


async def listening(port):
    def listens():
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", port)) == 0

    await wait("a broker", listens, 10)


def documented(beginning):
    """The YAML of docs/tasks/set-up-home-assistant.md that begins so."""
    text = (ROOT / "docs/tasks/set-up-home-assistant.md").read_text()
    blocks = [textwrap.dedent(block) for block in re.findall(r"^ *```yaml\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)]
    return next(block for block in blocks if block.startswith(beginning))


async def home_assistant(directory, recorder=False):
    """A core as it is started by its own command, less what draws the pages."""
    hass = core.HomeAssistant(str(directory))
    hass.config.skip_pip = True
    loader.async_setup(hass)
    hass.config_entries = ConfigEntries(hass, {})
    await bootstrap.async_load_base_functionality(hass)
    hass.auth = await auth.auth_manager_from_config(hass, [], [])
    configuration = await config.async_hass_config_yaml(hass)
    configuration |= {"homeassistant": {}, "http": {"server_host": "127.0.0.1", "server_port": free_port()}}
    components = ["homeassistant", "persistent_notification", "http", "automation"]
    if recorder:
        recorder_helper.async_initialize_recorder(hass)
        components.insert(0, "recorder")
    # The service that the documented automations call.
    hass.data["told"] = told = []
    hass.services.async_register("notify", "notify", lambda call: told.append(dict(call.data)))
    for component in components:
        if not await async_setup_component(hass, component, configuration):
            raise Failure(f"Home Assistant has no {component}")
    await hass.async_start()
    return hass


async def connect(hass, port):
    """What a user does: adds the integration, and types the broker's address."""
    flow = await hass.config_entries.flow.async_init("mqtt", context={"source": "user"})
    answers = {"broker": "127.0.0.1", "port": port}
    done = await hass.config_entries.flow.async_configure(flow["flow_id"], answers)
    if done["type"] != "create_entry":
        raise Failure(f"no entry: {done}")


async def stop(hass):
    if hass.state is not core.CoreState.stopped:
        await hass.async_stop(force=True)


async def restart(hass, recorder=False):
    """The same Home Assistant after a restart, which knows its broker."""
    await stop(hass)
    hass = await home_assistant(hass.config.config_dir, recorder)
    entry = hass.config_entries.async_entries("mqtt")[0]
    if entry.state is not ConfigEntryState.LOADED:
        await hass.config_entries.async_setup(entry.entry_id)
    return hass


async def press(hass, name):
    await hass.services.async_call("button", "press", {"entity_id": named(hass)[name].entity_id}, blocking=True)


# What it shows.


def entities(hass):
    """By their unique ids."""
    registry = entity_registry.async_get(hass)
    return {entry.unique_id: entry for entry in registry.entities.values() if entry.platform == "mqtt"}


def named(hass):
    """By the names that the agent gave them."""
    return {entry.original_name: entry for entry in entities(hass).values()}


def devices(hass):
    return [device for device in device_registry.async_get(hass).devices.values()
            if any(domain == "mqtt" for domain, _ in device.identifiers)]


def state(hass, entity):
    found = hass.states.get(entity.entity_id)
    return found.state if found else None


def shown(hass, name):
    """The state of an entity, with its attributes; None if there is none."""
    entry = named(hass).get(name)
    return hass.states.get(entry.entity_id) if entry else None


def says(hass, name):
    """The state of an entity that is known; else None."""
    found = shown(hass, name)
    return found.state if found and found.state not in UNKNOWN else None


def happening(hass, name):
    """The type of the last event of an event entity."""
    found = shown(hass, name)
    return found.attributes.get("event_type") if found and found.domain == "event" else None


def classes(hass, entity):
    """What Home Assistant makes of a value: the kind of its entity, its class, its unit, and how it adds up."""
    found = hass.states.get(entity.entity_id)
    return (entity.domain, *(found.attributes.get(name) for name in
                             ("device_class", "unit_of_measurement", "state_class")))


def show(hass):
    for entry in sorted(entities(hass).values(), key=lambda entry: entry.entity_id):
        found = hass.states.get(entry.entity_id)
        attributes = found.attributes if found else {}
        print(f"      {entry.entity_id:44} {found.state if found else '-':>12}"
              f" {attributes.get('unit_of_measurement', ''):5} {attributes.get('device_class', '')}", flush=True)


async def rows(hass):
    """How many states of each entity the recorder has written."""
    from homeassistant.components.recorder import get_instance

    await get_instance(hass).async_block_till_done()
    with contextlib.closing(sqlite3.connect(hass.config.path("home-assistant_v2.db"))) as database:
        return dict(database.execute(
            "SELECT meta.entity_id, count(*) FROM states JOIN states_meta AS meta USING (metadata_id) GROUP BY 1"))


async def rows_of(hass, seconds):
    """The states that are written while so many seconds pass."""
    before = await rows(hass)
    await asyncio.sleep(seconds)
    after = await rows(hass)
    return {entity: after[entity] - before.get(entity, 0) for entity in after}
