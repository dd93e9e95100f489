#!/usr/bin/env python3
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Gives a stock Home Assistant nothing but the broker, and looks at what it makes of the vehicle.

The real core with its own MQTT integration, set up by its own configuration flow; the program as it is shipped, a
simulated vehicle, and Mosquitto. Usage: stock.py PROGRAM device|component [SCENE ...]
"""

import asyncio
import datetime
import json
import logging
import pathlib
import signal
import sys
import tempfile

from automations import automate, listen
from house import (
    UNKNOWN, classes, connect, devices, entities, expect, happening, home_assistant, listening, named, press, restart, says,
    show, shown, state, stop, wait)
from recording import drives, parks
from stage import (
    CHARGES, DETECTED, DRIVES, ELECTRIC, FOURTEEN, GOES_ON, MANY, STANDS, Failure, Receiver, Scene, Stage,
    electric_parameters, many_parameters)

from homeassistant import const
from homeassistant.components import mqtt
from homeassistant.helpers import entity_registry

# More than one at a time, because an automation must tell each.
NEW_CODES = ["P0171", "P0301", "P0302", "P0303", "P0420", "U0100"]


def known(hass):
    """The vehicle's entities once all that it tells are there and known."""
    by_name = named(hass)
    wanted = ("Engine speed", "Coolant temperature", "Trouble codes", "Warning lamp", "Vehicle link", "Parked",
              "12 V battery", "Position", "Clear codes")
    if any(name not in by_name or state(hass, by_name[name]) in (None, const.STATE_UNAVAILABLE)
           for name in wanted):
        return None
    if any(state(hass, by_name[name]) == const.STATE_UNKNOWN for name in wanted[:-1]):
        return None
    return by_name


async def story(stage, hass):
    """A vehicle from its first trip on, with all that happens to it, to the agent and to Home Assistant."""
    by_name = await wait("the vehicle", lambda: known(hass))
    await described(hass)
    notes = await automate(hass)
    values(hass, by_name)
    await answered(hass, by_name)
    await pressed(hass, by_name)
    await placed(stage, hass, by_name)
    await driven(hass, by_name)
    unique = set(entities(hass))
    await cleared(hass, by_name)
    expect("no automation has told of codes that are gone", notes == [], notes)
    await appeared(stage, hass, notes)
    await found(hass, notes)
    await lost(stage, hass, by_name, unique)


async def described(hass):
    """What Home Assistant shows of the device itself."""
    found = devices(hass)
    expect("one device", len(found) == 1, found)
    device = found[0]
    expect(f"its name, {device.name}", device.name == "van", device)
    expect(f"its manufacturer, {device.manufacturer}", device.manufacturer == "Kia", device)
    model = await wait("the model", lambda: devices(hass)[0].model if "Trial" in str(devices(hass)[0].model) else None)
    expect(f"its model, {model}", model == "Trial (2024)", devices(hass))
    expect(f"its versions, {device.sw_version}", str(device.sw_version).startswith("obd-agent ")
           and device.serial_number == "KNDSMVLA7R4700893", device)
    expect(f"its link to the console, {device.configuration_url}",
           device.configuration_url == "https://console.example/#/van", device)


def values(hass, by_name):
    speed = shown(hass, "Engine speed")
    expect("engine speed in rpm, measured", speed.attributes["unit_of_measurement"] == "rpm"
           and speed.attributes["state_class"] == "measurement", speed)
    temperature = shown(hass, "Coolant temperature")
    expect("coolant temperature is a temperature", temperature.attributes["device_class"] == "temperature", temperature)
    codes = shown(hass, "Trouble codes")
    expect("two codes, with what they are", codes.state == "2" and "P0301" in str(codes.attributes), codes)
    expect("the vehicle is connected", says(hass, "Vehicle link") == "on", says(hass, "Vehicle link"))
    battery = shown(hass, "12 V battery")
    expect("it is not parked, and its battery is not low", says(hass, "Parked") == "off"
           and battery.state == "off" and battery.attributes["device_class"] == "battery", battery)
    limit = shown(hass, "Cold engine")
    expect("the exceeded limit is a problem", limit.state == "on" and limit.attributes["device_class"] == "problem", limit)
    disabled = {entry.original_name: entry for entry in entities(hass).values() if entry.disabled_by}
    monitors = {name for name in by_name if name.endswith("monitor incomplete")}
    expect(f"the {len(monitors)} monitors are disabled at first, and nothing else", monitors
           and set(disabled) == monitors, disabled)
    expect("they are diagnostic, and so are link and last command", all(
        by_name[name].entity_category == const.EntityCategory.DIAGNOSTIC
        for name in (*monitors, "Agent", "Vehicle link", "Last seen", "Last command")), by_name)


async def answered(hass, by_name):
    """A button that is pressed while the engine runs, and a finding: both are told in the vehicle's own device."""
    answer, finding, urgent = (by_name[name] for name in ("Last command", "Finding", "Urgent finding"))
    told = hass.data["told"]
    await press(hass, "Clear codes")
    await wait("an answer to the button", lambda: str(state(hass, answer)).startswith("clear codes refused: "))
    refusal = hass.states.get(answer.entity_id)
    expect(f"the refusal is told, {refusal.state}", refusal.attributes["reason"] == "engine_running"
           and refusal.attributes["command"] == "clear_codes", refusal)
    await wait("the documented automation of a refusal", lambda: told)
    expect("the documented automation tells it once", [each["message"] for each in told] == [refusal.state], told)
    now = datetime.datetime.now(datetime.timezone.utc)
    text = "Brake pads: 2 mm left. " + "Stop driving. " * 20
    order = {"id": "finding-1", "command": "record_finding", "arguments": {"text": text, "severity": "urgent"},
             "issued_at": now.isoformat(), "expires_at": (now + datetime.timedelta(minutes=1)).isoformat()}
    await hass.services.async_call(
        "mqtt", "publish", {"topic": "obd/van/commands", "payload": json.dumps(order), "qos": 1}, blocking=True)
    await wait("a finding", lambda: str(state(hass, finding)).startswith("Brake pads: 2 mm left. "))
    found = hass.states.get(finding.entity_id)
    expect("the finding is there, cut to a state of Home Assistant, with its severity", len(found.state) <= 255
           and found.attributes["severity"] == "urgent" and found.attributes["text"] == text, found)
    expect("an automation can start with it", state(hass, urgent) == "on", state(hass, urgent))
    await wait("the documented automation of an urgent finding", lambda: len(told) == 2)
    expect("the documented automation tells it", told[1]["message"] == text.strip()
           and told[1]["title"].startswith("Urgent: "), told)


async def pressed(hass, by_name):
    """The buttons that need no configuration of their own: their answers are told."""
    for name, words in (("Read codes", "read codes succeeded"), ("Wake", "wake succeeded")):
        await press(hass, name)
        await wait(f"an answer to {name}", lambda: state(hass, by_name["Last command"]) == words)
        expect(f"{name} is answered: {words}", True)


async def placed(stage, hass, by_name):
    """The vehicle on the map, at home and away again."""
    tracker = by_name["Position"]
    found = hass.states.get(tracker.entity_id)
    expect("the vehicle is on the map", tracker.domain == "device_tracker" and found.attributes["source_type"] == "gps"
           and abs(found.attributes["latitude"] - Receiver.LATITUDE) < 0.03 and found.attributes["gps_accuracy"] == 8
           and found.attributes["quality"] == "good", found)
    stage.receiver.zone_after = 0
    await wait("the vehicle is at home", lambda: state(hass, tracker) == "home")
    stage.receiver.zone_after = None
    await wait("the vehicle has left home", lambda: state(hass, tracker) != "home")


async def driven(hass, by_name):
    """The trip, while it goes on and once it has ended."""
    def has_driven():
        distance = says(hass, "Last trip distance")
        return shown(hass, "Last trip distance") if distance and float(distance) >= 0.1 else None

    trip = await wait("the trip", has_driven, 120)
    expect("the trip is shown with its distance", trip.attributes["unit_of_measurement"] == "km"
           and trip.attributes["device_class"] == "distance", trip)
    total = shown(hass, "Driven distance")
    expect("all trips are a total", total.attributes["state_class"] == "total_increasing", total)
    await wait("the engine is off", lambda: float(state(hass, by_name["Engine speed"])) == 0, 90)


def happened(hass, name, kind, attribute):
    found = shown(hass, name)
    expect(f"{name}: {kind}, with {attribute} {found.attributes.get(attribute)}",
           happening(hass, name) == kind and found.attributes.get(attribute) is not None, found)


async def cleared(hass, by_name):
    await press(hass, "Clear codes")
    await wait("no codes after the button", lambda: says(hass, "Trouble codes") == "0")
    await wait("the event of a code that is gone", lambda: happening(hass, "Trouble code event") == "code_gone")
    happened(hass, "Trouble code event", "code_gone", "code")
    await wait("the event of the lamp", lambda: happening(hass, "Warning lamp event") == "mil_off")
    expect("the button clears the codes, and the lamp is off", says(hass, "Warning lamp") == "off", says(hass, "Warning lamp"))


async def appeared(stage, hass, notes):
    """Several codes appear at once, in the next drive."""
    stage.stop("vehicle")
    stage.codes = ",".join(NEW_CODES)
    stage.start("vehicle")
    await wait("the new codes", lambda: says(hass, "Trouble codes") == str(len(NEW_CODES)), 120)
    await wait("the event of the lamp", lambda: happening(hass, "Warning lamp event") == "mil_on")
    happened(hass, "Warning lamp event", "mil_on", "time")
    happened(hass, "Trouble code event", "code_appeared", "description")
    def phone():
        return [each["message"] for each in hass.data["told"] if each["message"].startswith("van, ")]

    await wait("the notifications of the blueprint", lambda: len(notes) == len(phone()) == len(NEW_CODES))
    expect(f"each new code is a notification, such as {notes[0]}", sorted(title for title, _ in notes)
           == [f"van: {code}" for code in NEW_CODES], notes)
    misfire = next(message for title, message in notes if title == "van: P0301")
    expect(f"it says what the code means: {misfire}", misfire == "Misfire in cylinder 1 (7E8)", misfire)
    expect("the action of one's own has them too", "van, P0301: Misfire in cylinder 1, 7E8" in phone(), phone())


async def found(hass, notes):
    """What is told, and what is not: two events of one millisecond, another name, and a code of the first reading."""
    entry = named(hass)["Trouble code event"]
    last = hass.states.get(entry.entity_id)
    told = hass.data["told"]
    count = len(notes), len(told)
    hass.states.async_set(entry.entity_id, last.state, {**last.attributes, "friendly_name": "Another name"})
    hass.states.async_set(entry.entity_id, last.state, {**last.attributes, "code": "P0999", "seq": last.attributes["seq"] + 1})
    await wait("a second event of the same millisecond", lambda: len(notes) > count[0] and len(told) > count[1])
    expect("of two events in one millisecond both are told, and another name is none", notes[count[0]:] == [
        ("van: P0999", f"{last.attributes['description']} ({last.attributes['ecu']})")], notes)
    place = {"agent": last.attributes["agent"], "epoch": last.attributes["epoch"], "seq": last.attributes["seq"] + 2}
    # The agent was cut off before it knew that the broker has these; the number of the last one is that of the event above.
    for back in (2, 1, 0):
        again = {"event": "code_appeared", "code": f"P100{back}", "ecu": "7E8", **place}
        # The clock was set meanwhile.
        again |= {"seq": place["seq"] - 1 - back, "time": "2030-01-01T00:00:00Z"}
        await hass.services.async_call(
            "mqtt", "publish", {"topic": "obd/van/events", "payload": json.dumps(again)}, blocking=True)
    event = {"event": "code_found", "code": "P0700", "ecu": "7E9", "time": "2026-11-26T00:00:00Z", **place}
    await hass.services.async_call(
        "mqtt", "publish", {"topic": "obd/van/events", "payload": json.dumps(event)}, blocking=True)
    await wait("the code of a first reading", lambda: len(told) == count[1] + 2)
    expect("a code of the first reading is told to those who want it", len(notes) == count[0] + 1
           and told[-1]["message"] == "van, P0700: a code of the manufacturer, 7E9", (notes, told))


async def lost(stage, hass, by_name, unique):
    """The agent and Home Assistant go, one after the other, and come back."""
    temperature = says(hass, "Coolant temperature")
    stage.stop("agent", signal.SIGKILL)
    # The broker says it for the agent, once it misses it.
    await wait("the link is told to be gone", lambda: says(hass, "Vehicle link") in ("off", None), 90)
    expect("without the agent the last values stay", says(hass, "Coolant temperature") == temperature,
           says(hass, "Coolant temperature"))
    expect("and the button can't be pressed", state(hass, by_name["Clear codes"]) == const.STATE_UNAVAILABLE,
           state(hass, by_name["Clear codes"]))
    hass = await restart(hass)
    try:
        notes = listen(hass)
        await wait("the last values after a restart of Home Assistant", lambda: says(hass, "Coolant temperature") == temperature)
        expect("after its restart the same entities have their last values, with no agent there",
               set(entities(hass)) == unique, set(entities(hass)) ^ unique)
        expect("the last command is not known any more", says(hass, "Last command") is None, says(hass, "Last command"))
        expect("an event entity keeps its last event", happening(hass, "Trouble code event") == "code_found"
               and happening(hass, "Warning lamp event") == "mil_on", shown(hass, "Trouble code event"))
        await wait("the newest finding, which is told again", lambda: hass.data["told"])
        stage.start("agent")
        await wait("the agent is back", lambda: known(hass))
        expect("after the agent's restart too", set(entities(hass)) == unique, set(entities(hass)) ^ unique)
        expect("nothing but the finding is told again", notes == [] and len(hass.data["told"]) == 1, (notes, hass.data["told"]))
    finally:
        await stop(hass)


async def charge(stage, hass):
    """An electric car that is charged: its roles are classes, without a word of configuration in Home Assistant."""
    titles = [title for _, title, *_ in ELECTRIC]
    await wait("the values of the electric car", lambda: all(says(hass, title) for title in titles))
    await wait("the charge", lambda: says(hass, "Charging") == "on")
    await wait("the event of the charge", lambda: happening(hass, "Battery event") == "charging_started")
    happened(hass, "Battery event", "charging_started", "state_of_charge")
    found = named(hass)
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
    level = float(says(hass, "Battery"))
    expect("the battery has a charge, and the plug is in", 0 < level <= 100
           and says(hass, "Plug") == "on", (level, says(hass, "Plug")))
    await announced(stage, hass)


async def announced(stage, hass):
    """The vehicle is announced in the other form, and then not at all."""
    gone = set()

    def heard(message):
        if message.topic.endswith("/config") and not message.payload:
            gone.add(message.topic)

    # The last value of all, because it is read in a charge only.
    await wait("the standard's charge", lambda: says(hass, "Traction battery charge"))
    await mqtt.async_subscribe(hass, "homeassistant/#", heard)
    before = set(entities(hass))
    plug = named(hass)["Plug"].entity_id
    entity_registry.async_get(hass).async_update_entity(plug, new_entity_id="binary_sensor.at_the_wall")
    other = "component" if stage.form == "device" else "device"
    stage.stop("agent")
    stage.overlay(f'[home_assistant]\ndiscovery = "{other}"\n')
    stage.start("agent")
    await wait("the other form", lambda: len(gone) == (1 if other == "component" else len(before)))
    expect(f"with discovery = \"{other}\" the same entities are there, with the user's names", set(entities(hass)) == before
           and named(hass)["Plug"].entity_id == "binary_sensor.at_the_wall", set(entities(hass)) ^ before)
    await wait("their values", lambda: says(hass, "Vehicle link") == says(hass, "Plug") == "on")
    stage.stop("agent")
    stage.overlay("[home_assistant]\nenabled = false\n")
    stage.start("agent")
    await wait("the removal", lambda: not entities(hass) and not devices(hass))
    expect("with enabled = false nothing of the vehicle is left", True)


async def many(stage, hass):
    """300 custom parameters: all are there, and only those with a role are enabled."""
    sizes = {}
    await mqtt.async_subscribe(
        hass, "homeassistant/#", lambda message: sizes.update({message.topic: len(message.payload.encode())}))

    def found():
        values = [entry for entry in entities(hass).values() if (entry.original_name or "").startswith("Many ")]
        return values if len(values) == MANY else None

    enabled = [entry for entry in await wait("300 values", found, 180) if not entry.disabled_by]
    expect(f"of {MANY} values only that with a role is enabled", len(enabled) == 1, enabled)
    value = await wait("its value", lambda: hass.states.get(enabled[0].entity_id), 60)
    expect("it is a battery", value.attributes["device_class"] == "battery", value)
    size = max(sizes.values())
    expect(f"the largest of {len(sizes)} messages has {size / 1000} kB", size < (130_000 if stage.form == "device" else 2_000), size)


async def forbidden(stage, hass):
    """A broker that lets the agent announce nothing: all else works, and the agent says so."""
    def warnings():
        return (stage.directory / "agent.log").read_text().count("Home Assistant does not get the vehicle's entities")

    received = {}
    await mqtt.async_subscribe(hass, "obd/van/#", lambda message: received.update({message.topic: message.payload}))
    await wait("the warning", warnings)
    await wait("all else", lambda: {f"obd/van/{name}" for name in ("parameters/engine_speed", "codes", "trip")} <= set(received))
    # Each new value is a reason to announce the vehicle again.
    await asyncio.sleep(15)
    expect("the agent warns once that Home Assistant gets no entities", warnings() == 1, warnings())
    expect("and Home Assistant has none", not entities(hass), entities(hass))


SCENES = [
    Scene("drive", story, DRIVES, DETECTED),
    Scene("charge", charge, CHARGES, tables=electric_parameters()),
    Scene("many", many, CHARGES, tables=many_parameters()),
    Scene("forbidden", forbidden, DRIVES, access="topic readwrite obd/#\ntopic read homeassistant/#\ntopic write homeassistant/status\n"),
    # What the recorder writes does not depend on the form.
    Scene("parked", parks, STANDS, tables="[parking]\nafter_seconds = 30\nlook_seconds = 10\n", forms=("device",), records=True),
    Scene("recorder", drives, GOES_ON, FOURTEEN, forms=("device",), records=True),
]


async def play(stage):
    """Starts broker and Home Assistant, and then vehicle and agent, and lets the tale begin."""
    stage.start("broker")
    await listening(stage.broker)
    hass = await home_assistant(stage.directory / "home", stage.scene.records)
    try:
        await connect(hass, stage.broker)
        # Last, because time passes for the vehicle from its start on.
        stage.start("vehicle")
        stage.start("agent")
        await stage.scene.tale(stage, hass)
    finally:
        show(hass)
        await stop(hass)


def main():
    program, form, *names = sys.argv[1:]
    # What it thinks of its own parts is not what is tried here.
    logging.disable(logging.WARNING)
    # It complains if it is stopped while it computes statistics, as it does every five minutes.
    logging.getLogger("homeassistant.components.recorder").setLevel(logging.CRITICAL)
    for scene in SCENES:
        if form not in scene.forms or names and scene.name not in names:
            continue
        print(f"Home Assistant {const.__version__}, discovery = \"{form}\", {scene.name}", flush=True)
        with tempfile.TemporaryDirectory(prefix="obd-agent-home-") as name:
            stage = Stage(str(pathlib.Path(program).resolve()), pathlib.Path(name), form, scene)
            try:
                asyncio.run(play(stage))
            except Failure as failure:
                for log in sorted(stage.directory.glob("*.log")):
                    print(f"== {log.name}", *log.read_text(errors="replace").splitlines()[-12:], sep="\n", file=sys.stderr)
                sys.exit(f"FAIL  {failure}")
            finally:
                stage.close()


main()
