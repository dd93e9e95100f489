# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""What a vehicle costs Home Assistant's recorder, and whether the documented ways to bound it do."""

import asyncio
import pathlib

from house import documented, expect, happening, named, press, restart, rows_of, says, shown, stop, wait

from homeassistant.helpers import entity_registry

# So long rows are counted.
SECONDS = 120
EXCLUDED = ("Engine speed", "Vehicle speed", "Throttle position")
DISABLED = "Engine load"
FAST = ("Mass air flow", "Intake manifold pressure", "Oil temperature")
SLOW = "Coolant temperature"


def table(written, seconds):
    """Prints the rows of an hour for each entity that has some, the most first. Returns their sum."""
    for entity, count in sorted(written.items(), key=lambda each: -each[1]):
        if count:
            print(f"      {entity:44} {count * 3600 // seconds:8} rows an hour", flush=True)
    return sum(written.values()) * 3600 // seconds


async def other(stage, hass, configuration):
    """The agent after a restart with another configuration."""
    stage.stop("agent")
    await wait("the end of the agent", lambda: says(hass, "Vehicle link") is None)
    stage.overlay(configuration)
    stage.start("agent")
    await wait("the vehicle again", lambda: says(hass, "Vehicle link") == "on")


async def drives(stage, hass):
    """A drive with 14 values, each read once a second; then with what the document says against its rows."""
    await wait("the values", lambda: all(says(hass, name) for name in (*EXCLUDED, DISABLED, SLOW)))
    before = table(await rows_of(hass, SECONDS), SECONDS)
    expect(f"a drive with 14 values makes {before} rows an hour", 0 < before, before)

    home = pathlib.Path(hass.config.config_dir)
    with (home / "configuration.yaml").open("a") as file:
        file.write(documented("# configuration.yaml"))
    registry = entity_registry.async_get(hass)
    disabled = named(hass)[DISABLED].entity_id
    registry.async_update_entity(disabled, disabled_by=entity_registry.RegistryEntryDisabler.USER)
    await other(stage, hass, "[parameters]\ncoolant_temperature = 30\n")
    hass = await restart(hass, recorder=True)
    try:
        await wait("the values again", lambda: all(says(hass, name) for name in (*EXCLUDED, *FAST)))
        written = await rows_of(hass, SECONDS)
        after = table(written, SECONDS)
        count = {name: written.get(named(hass)[name].entity_id, 0) for name in (*EXCLUDED, DISABLED, SLOW)}
        expect("what is excluded has no rows, and a state", not any(count[name] for name in EXCLUDED), count)
        expect("what is disabled has neither", count[DISABLED] == 0 and shown(hass, DISABLED) is None, count)
        expect("what is read each 30 s makes 120 rows an hour at most", count[SLOW] * 3600 <= 120 * SECONDS + 3600, count)
        expect(f"{after} rows an hour are left", after < before, after)

        await other(stage, hass, '[uplink]\nlive = "on-demand"\n')
        # The first value of each comes at once.
        await asyncio.sleep(30)
        written = await rows_of(hass, SECONDS)
        slow = table(written, SECONDS)
        expect(f"live = \"on-demand\" makes {slow} rows an hour", slow < after / 4, slow)
        most = max(written.get(named(hass)[name].entity_id, 0) for name in FAST)
        expect(f"a value has {most} of them in {SECONDS} s", most <= SECONDS // 60 + 1, written)
    finally:
        await stop(hass)


async def parks(stage, hass):
    """A parked vehicle: its rows, a button that wakes it, and its battery that is low."""
    await wait("the event of a trip that has ended", lambda: happening(hass, "Trip event") == "trip", 180)
    trip = shown(hass, "Trip event").attributes
    expect(f"Trip event: trip, with distance {trip['distance']}", trip["distance"] > 0.1 and trip["duration"] > 30, trip)
    await wait("the vehicle is parked", lambda: says(hass, "Parked") == "on", 120)
    stage.receiver.stands = True
    await wait("the supply at rest", lambda: says(hass, "12 V supply at rest"), 120)
    await wait("the closed link", lambda: says(hass, "Vehicle link") == "off")
    written = await rows_of(hass, SECONDS)
    count = table(written, SECONDS)
    place = written.pop(named(hass)["Position"].entity_id, 0)
    expect("its position has a row each minute", place <= SECONDS // 60 + 1, place)
    expect("and nothing else has any", not any(written.values()), written)
    await press(hass, "Wake")
    await wait("the answer", lambda: says(hass, "Last command") == "wake succeeded", 90)
    await wait("the vehicle is awake", lambda: says(hass, "Parked") == "off")
    expect("the button wakes the parked vehicle", True)
    await other(stage, hass, "[parking]\nminimum_voltage = 15\n")
    await wait("the event", lambda: happening(hass, "Battery event") == "battery_low", 120)
    found = shown(hass, "Battery event")
    expect(f"Battery event: battery_low, with voltage {found.attributes['voltage']}",
           11 < found.attributes["voltage"] < 15, found)
    await wait("the low battery", lambda: says(hass, "12 V battery") == "on")
    await press(hass, "Wake")
    refused = await wait("an answer", lambda: (says(hass, "Last command") or "").startswith(("wake refused", "wake failed"))
                         and says(hass, "Last command"), 90)
    expect(f"a vehicle with a low battery is not woken: {refused}", True)
