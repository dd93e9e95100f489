#!/usr/bin/env python3
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Gives a stock Home Assistant nothing but the broker, and looks at what it makes of the vehicle.

The real core with its own MQTT integration, set up by its own configuration flow; the program as it is shipped, a
simulated vehicle, and Mosquitto. Usage: stock.py PROGRAM device|component
"""

import asyncio
import datetime
import json
import logging
import pathlib
import signal
import socket
import sys
import tempfile
import time

from stage import ELECTRIC, MANY, Failure, Receiver, Stage, electric_parameters, free_port, many_parameters

from homeassistant import auth, bootstrap, const, core, loader
from homeassistant.config_entries import ConfigEntries, ConfigEntryState
from homeassistant.helpers import device_registry, entity_registry
from homeassistant.setup import async_setup_component


async def wait(what, look, limit=60):
    """What `look` says once that is true."""
    end = time.monotonic() + limit
    while not (found := look()):
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {limit} s")
        await asyncio.sleep(0.1)
    return found


async def home_assistant(directory):
    """A core as it is started by its own command, less what draws the pages."""
    hass = core.HomeAssistant(str(directory))
    hass.config.skip_pip = True
    loader.async_setup(hass)
    hass.config_entries = ConfigEntries(hass, {})
    await bootstrap.async_load_base_functionality(hass)
    hass.auth = await auth.auth_manager_from_config(hass, [], [])
    configuration = {"homeassistant": {}, "http": {"server_host": "127.0.0.1", "server_port": free_port()}}
    for component in ("homeassistant", "persistent_notification", "http"):
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


def entities(hass):
    """By their unique ids."""
    registry = entity_registry.async_get(hass)
    return {entry.unique_id: entry for entry in registry.entities.values() if entry.platform == "mqtt"}


def state(hass, entity):
    found = hass.states.get(entity.entity_id)
    return found.state if found else None


def known(hass):
    """The vehicle's entities once all that it tells are there and known."""
    found = entities(hass)
    by_name = {entry.original_name: entry for entry in found.values()}
    wanted = ("Engine speed", "Coolant temperature", "Trouble codes", "Warning lamp", "Vehicle link", "Parked",
              "12 V battery", "Position", "Clear codes")
    if any(name not in by_name or state(hass, by_name[name]) in (None, const.STATE_UNAVAILABLE)
           for name in wanted):
        return None
    if any(state(hass, by_name[name]) == const.STATE_UNKNOWN for name in wanted[:-1]):
        return None
    return by_name


def show(hass):
    for entry in sorted(entities(hass).values(), key=lambda entry: entry.entity_id):
        found = hass.states.get(entry.entity_id)
        attributes = found.attributes if found else {}
        print(f"      {entry.entity_id:44} {found.state if found else '-':>12}"
              f" {attributes.get('unit_of_measurement', ''):5} {attributes.get('device_class', '')}", flush=True)


def expect(what, condition, got=""):
    if not condition:
        raise Failure(f"{what}: {got}")
    print(f"ok    {what}", flush=True)


async def begin(stage, directory):
    """Starts broker, vehicle and agent, and then Home Assistant."""
    for name in ("broker", "vehicle", "agent"):
        stage.start(name)
    await wait("a broker", lambda: listens(stage.broker), 10)
    return await home_assistant(directory)


async def story(stage, directory):
    hass = await begin(stage, directory)
    try:
        await connect(hass, stage.broker)
        try:
            by_name = await wait("the vehicle", lambda: known(hass))
        finally:
            show(hass)
        devices = [device for device in device_registry.async_get(hass).devices.values()
                   if any(domain == "mqtt" for domain, _ in device.identifiers)]
        expect("one device", len(devices) == 1, devices)
        device = devices[0]
        expect(f"its name, {device.name}", device.name == "van", device)
        expect(f"its link to the console, {device.configuration_url}",
               device.configuration_url == "https://console.example/#/van", device)
        speed, lamp, link = (by_name[name] for name in ("Engine speed", "Warning lamp", "Vehicle link"))
        shown = hass.states.get(speed.entity_id)
        expect("engine speed in rpm, measured", shown.attributes["unit_of_measurement"] == "rpm"
               and shown.attributes["state_class"] == "measurement", shown)
        shown = hass.states.get(by_name["Coolant temperature"].entity_id)
        expect("coolant temperature is a temperature", shown.attributes["device_class"] == "temperature", shown)
        codes = by_name["Trouble codes"]
        expect("two codes, with what they are", state(hass, codes) == "2"
               and "P0301" in str(hass.states.get(codes.entity_id).attributes), hass.states.get(codes.entity_id))
        expect("the vehicle is connected", state(hass, link) == "on", state(hass, link))
        await answered(hass, by_name)
        await pressed(hass, by_name)
        battery = hass.states.get(by_name["12 V battery"].entity_id)
        expect("it is not parked, and its battery is not low", state(hass, by_name["Parked"]) == "off"
               and battery.state == "off" and battery.attributes["device_class"] == "battery", battery)
        tracker = by_name["Position"]
        shown = hass.states.get(tracker.entity_id)
        expect("the vehicle is on the map", tracker.domain == "device_tracker" and shown.attributes["source_type"] == "gps"
               and abs(shown.attributes["latitude"] - Receiver.LATITUDE) < 0.03 and shown.attributes["gps_accuracy"] == 8
               and shown.attributes["quality"] == "good", shown)
        stage.receiver.zone_after = 0
        await wait("the vehicle is at home", lambda: state(hass, tracker) == "home")
        stage.receiver.zone_after = None
        await wait("the vehicle has left home", lambda: state(hass, tracker) != "home")
        limit = by_name["Cold engine"]
        expect("the exceeded limit is a problem", state(hass, limit) == "on"
               and hass.states.get(limit.entity_id).attributes["device_class"] == "problem", hass.states.get(limit.entity_id))

        def driven():
            entry = {entry.original_name: entry for entry in entities(hass).values()}.get("Last trip distance")
            shown = hass.states.get(entry.entity_id) if entry else None
            known = shown and shown.state not in (const.STATE_UNAVAILABLE, const.STATE_UNKNOWN)
            return shown if known and float(shown.state) >= 0.1 else None

        trip = await wait("the trip", driven, 120)
        expect("the trip is shown with its distance", trip.attributes["unit_of_measurement"] == "km"
               and trip.attributes["device_class"] == "distance", trip)
        total = hass.states.get(known(hass)["Driven distance"].entity_id)
        expect("all trips are a total", total.attributes["state_class"] == "total_increasing", total)
        entry = known(hass)["Trip event"]
        expect("a trip that ends will be an event", hass.states.get(entry.entity_id).attributes["event_types"] == ["trip"])
        unique = set(entities(hass))

        await wait("the engine is off", lambda: float(state(hass, speed)) == 0, 90)
        await hass.services.async_call(
            "button", "press", {"entity_id": by_name["Clear codes"].entity_id}, blocking=True)
        await wait("no codes after the button", lambda: state(hass, codes) == "0")
        await wait("the event of a code that is gone", lambda: event(hass, "Trouble code event") == "code_gone")
        happened(hass, "Trouble code event", "code_gone", "code")
        await wait("the event of the lamp", lambda: event(hass, "Warning lamp event") == "mil_off")
        expect("the button clears the codes, and the lamp is off", state(hass, lamp) == "off", state(hass, lamp))

        temperature = state(hass, by_name["Coolant temperature"])
        stage.stop("agent", signal.SIGKILL)
        # The broker says it for the agent, once it misses it.
        await wait("the link is told to be gone", lambda: state(hass, link) in ("off", const.STATE_UNAVAILABLE), 90)
        expect("without the agent the last values stay", state(hass, by_name["Coolant temperature"]) == temperature,
               state(hass, by_name["Coolant temperature"]))
        expect("and the button can't be pressed", state(hass, by_name["Clear codes"]) == const.STATE_UNAVAILABLE,
               state(hass, by_name["Clear codes"]))

        await stop(hass)
        hass = await home_assistant(directory)
        entry = hass.config_entries.async_entries("mqtt")[0]
        if entry.state is not ConfigEntryState.LOADED:
            await hass.config_entries.async_setup(entry.entry_id)

        def back():
            found = {entry.original_name: entry for entry in entities(hass).values()}
            return found if state(hass, found["Coolant temperature"]) == temperature else None

        await wait("the last values after a restart of Home Assistant", back)
        expect("after its restart the same entities have their last values, with no agent there",
               set(entities(hass)) == unique, set(entities(hass)) ^ unique)
        stage.start("agent")
        await wait("the agent is back", lambda: known(hass))
        expect("after the agent's restart too", set(entities(hass)) == unique, set(entities(hass)) ^ unique)
    finally:
        await stop(hass)


def classes(hass, entity):
    """What Home Assistant makes of a value: the kind of its entity, its class, its unit, and how it adds up."""
    shown = hass.states.get(entity.entity_id)
    return (entity.domain, *(shown.attributes.get(name) for name in
                             ("device_class", "unit_of_measurement", "state_class")))


async def charge(stage, directory):
    """An electric car that is charged: its roles are classes, without a word of configuration in Home Assistant."""
    hass = await begin(stage, directory)
    try:
        await connect(hass, stage.broker)
        titles = [title for _, title, *_ in ELECTRIC]

        def values():
            found = {entry.original_name: entry for entry in entities(hass).values()}
            unknown = (None, const.STATE_UNAVAILABLE, const.STATE_UNKNOWN)
            return found if all(title in found and state(hass, found[title]) not in unknown for title in titles) else None

        try:
            found = await wait("the values of the electric car", values)
            await wait("the charge", lambda: state(hass, found["Charging"]) == "on")
        finally:
            show(hass)
        for title, wanted in (
            ("Battery", ("sensor", "battery", "%", "measurement")),
            ("Charging", ("binary_sensor", "battery_charging", None, None)),
            ("Plug", ("binary_sensor", "plug", None, None)),
            ("Battery power", ("sensor", "power", "kW", "measurement")),
            # The energy dashboard takes such a sensor.
            ("Charged energy", ("sensor", "energy", "kWh", "total_increasing")),
        ):
            got = classes(hass, found[title])
            expect(f"{title} is {' '.join(filter(None, wanted))}", got == wanted, got)
        level = float(state(hass, found["Battery"]))
        expect("the battery has a charge, and the plug is in", 0 < level <= 100
               and state(hass, found["Plug"]) == "on", (level, state(hass, found["Plug"])))
    finally:
        await stop(hass)


def event(hass, name):
    """The type of the last event of an event entity."""
    entry = {entry.original_name: entry for entry in entities(hass).values()}.get(name)
    shown = hass.states.get(entry.entity_id) if entry and entry.domain == "event" else None
    return shown.attributes.get("event_type") if shown else None


def happened(hass, name, kind, attribute):
    entry = {entry.original_name: entry for entry in entities(hass).values()}[name]
    shown = hass.states.get(entry.entity_id)
    expect(f"{name}: {kind}, with {attribute} {shown.attributes.get(attribute)}",
           event(hass, name) == kind and shown.attributes.get(attribute) is not None, shown)


async def pressed(hass, by_name):
    """The buttons that need no configuration of their own: their answers are told."""
    for name, words in (("Read codes", "read codes succeeded"), ("Wake", "wake succeeded")):
        await hass.services.async_call("button", "press", {"entity_id": by_name[name].entity_id}, blocking=True)
        await wait(f"an answer to {name}", lambda: state(hass, by_name["Last command"]) == words)
        expect(f"{name} is answered: {words}", True)
    disabled = [entry for entry in entities(hass).values() if entry.disabled_by]
    expect("readiness is disabled at first", any("monitor incomplete" in (entry.original_name or "") for entry in disabled)
           and all(entry.entity_category == const.EntityCategory.DIAGNOSTIC for entry in disabled), disabled)


async def answered(hass, by_name):
    """A button that is pressed while the engine runs, and a finding: both are told in the vehicle's own device."""
    answer, finding, urgent = (by_name[name] for name in ("Last command", "Finding", "Urgent finding"))
    await hass.services.async_call("button", "press", {"entity_id": by_name["Clear codes"].entity_id}, blocking=True)
    await wait("an answer to the button", lambda: str(state(hass, answer)).startswith("clear codes refused: "))
    shown = hass.states.get(answer.entity_id)
    expect(f"the refusal is told, {shown.state}", shown.attributes["reason"] == "engine_running"
           and shown.attributes["command"] == "clear_codes", shown)
    now = datetime.datetime.now(datetime.timezone.utc)
    text = "Brake pads: 2 mm left. " + "Stop driving. " * 20
    order = {"id": "finding-1", "command": "record_finding", "arguments": {"text": text, "severity": "urgent"},
             "issued_at": now.isoformat(), "expires_at": (now + datetime.timedelta(minutes=1)).isoformat()}
    await hass.services.async_call(
        "mqtt", "publish", {"topic": "obd/van/commands", "payload": json.dumps(order), "qos": 1}, blocking=True)
    await wait("a finding", lambda: str(state(hass, finding)).startswith("Brake pads: 2 mm left. "))
    shown = hass.states.get(finding.entity_id)
    expect("the finding is there, cut to a state of Home Assistant, with its severity", len(shown.state) <= 255
           and shown.attributes["severity"] == "urgent" and shown.attributes["text"] == text, shown)
    expect("an automation can start with it", state(hass, urgent) == "on", state(hass, urgent))


async def stop(hass):
    if hass.state is not core.CoreState.stopped:
        await hass.async_stop(force=True)


def listens(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


async def many(stage, directory):
    """300 custom parameters: all are there, and only those with a role are enabled."""
    hass = await begin(stage, directory)
    try:
        await connect(hass, stage.broker)

        def values():
            return [entry for entry in entities(hass).values() if (entry.original_name or "").startswith("Many ")]

        found = await wait("300 values", lambda: values() if len(values()) == MANY else None, 180)
        enabled = [entry for entry in found if not entry.disabled_by]
        expect(f"of {MANY} values only that with a role is enabled", len(enabled) == 1, enabled)
        shown = await wait("its value", lambda: hass.states.get(enabled[0].entity_id), 60)
        expect("it is a battery", shown.attributes["device_class"] == "battery", shown)
    finally:
        await stop(hass)


def main():
    form = sys.argv[2]
    for vehicle, tale, configuration in (
            ("combustion", story, ""), ("electric", charge, electric_parameters()), ("electric", many, many_parameters())):
        try_vehicle(form, vehicle, tale, configuration)


def try_vehicle(form, vehicle, tale, parameters):
    # What it thinks of its own parts is not what is tried here.
    logging.disable(logging.WARNING)
    print(f"Home Assistant {const.__version__}, discovery = \"{form}\", vehicle = {vehicle}", flush=True)
    with tempfile.TemporaryDirectory(prefix="obd-agent-home-") as name:
        directory = pathlib.Path(name)
        (directory / "home").mkdir()
        (directory / "home/configuration.yaml").touch()
        stage = Stage(str(pathlib.Path(sys.argv[1]).resolve()), directory, form, vehicle, parameters)
        try:
            asyncio.run(tale(stage, directory / "home"))
        except Failure as failure:
            for log in sorted(directory.glob("*.log")):
                print(f"== {log.name}", *log.read_text(errors="replace").splitlines()[-12:], sep="\n", file=sys.stderr)
            sys.exit(f"FAIL  {failure}")
        finally:
            stage.close()


main()
