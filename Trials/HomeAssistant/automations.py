# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The blueprint and the documented automations, set up as a user does."""

import pathlib
import shutil

import yaml
from house import ROOT, documented, entities, expect

from homeassistant.components import persistent_notification
from homeassistant.components.automation.helpers import async_get_blueprints


def blueprint(alias, **inputs):
    """What Home Assistant writes for a form that is filled in."""
    return {"alias": alias, "use_blueprint": {"path": "obd-agent/code-appeared.yaml", "input": inputs}}


async def automate(hass):
    """Copies the blueprint, makes two automations of it and those of the document, and reloads. Returns the notifications."""
    folder = pathlib.Path(hass.config.path("blueprints/automation/obd-agent"))
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "etc/home-assistant/code-appeared.yaml", folder)
    event = next(entry for entry in entities(hass).values() if entry.original_name == "Trouble code event").entity_id
    phone = {"action": "notify.notify", "data": {"message": "{{ vehicle }}, {{ code }}: {{ meaning }}, {{ ecu }}"}}
    automations = [
        blueprint("tell me", event=event),
        blueprint("tell my phone", event=event, first_reading=True, notify=[phone]),
        yaml.safe_load(documented("alias: A command")), yaml.safe_load(documented("alias: The garage")),
    ]
    pathlib.Path(hass.config.path("automations.yaml")).write_text(yaml.safe_dump(automations))
    await hass.services.async_call("automation", "reload", blocking=True)
    offered = await async_get_blueprints(hass).async_get_blueprints()
    found = offered.get("obd-agent/code-appeared.yaml")
    expect("Home Assistant offers the blueprint", getattr(found, "name", None) == "Tell me when a code appears", offered)
    states = {each.attributes["friendly_name"]: each.state for each in hass.states.async_all("automation")}
    expect("its automations and the documented ones are on", len(states) == len(automations)
           and set(states.values()) == {"on"}, states)
    return listen(hass)


def listen(hass):
    """The notifications from now on: title and message."""
    notes = []

    def noted(kind, notifications):
        if kind is persistent_notification.UpdateType.ADDED:
            notes.extend((each["title"], each["message"]) for each in notifications.values())

    persistent_notification.async_register_callback(hass, noted)
    return notes
