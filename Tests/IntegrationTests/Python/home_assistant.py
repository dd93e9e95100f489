# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Shows what Home Assistant would: home_assistant.py MESSAGES

Each line of MESSAGES is a topic, a tab, and the payload in hexadecimal, in the order in which they came. Prints a JSON
object: for each unique id what it shows. Templates run in the sandbox in which Home Assistant runs them, but here a name
that is not defined is an error. The abbreviations are those of Home Assistant's documentation.
"""
import datetime
import json
import pathlib
import sys

import jinja2
import jinja2.sandbox

ABBREVIATIONS = {
    "avty": "availability", "avty_mode": "availability_mode", "avty_t": "availability_topic",
    "cmd_t": "command_topic", "cmd_tpl": "command_template", "cmps": "components", "dev": "device",
    "dev_cla": "device_class", "en": "enabled_by_default", "ent_cat": "entity_category", "evt_typ": "event_types", "ic": "icon", "json_attr_t": "json_attributes_topic",
    "json_attr_tpl": "json_attributes_template", "o": "origin", "ops": "options", "p": "platform",
    "pl_off": "payload_off", "pl_on": "payload_on", "ret": "retain", "stat_cla": "state_class",
    "stat_t": "state_topic", "sug_dsp_prc": "suggested_display_precision", "t": "topic", "uniq_id": "unique_id",
    "unit_of_meas": "unit_of_measurement", "val_tpl": "value_template",
}
# The attributes that Home Assistant leaves out, because they are properties of the entity.
BLOCKED = {
    "assumed_state", "available", "device_class", "device_info", "entity_category", "entity_picture",
    "entity_registry_enabled_default", "extra_state_attributes", "force_update", "icon", "name", "should_poll", "state",
    "supported_features", "unique_id", "unit_of_measurement",
}
KNOWN = set(ABBREVIATIONS.values()) | {"name", "qos", "migrate_discovery"}

environment = jinja2.sandbox.ImmutableSandboxedEnvironment(undefined=jinja2.StrictUndefined)
environment.globals.update(
    utcnow=lambda: datetime.datetime.now(datetime.timezone.utc),
    timedelta=datetime.timedelta,
)


def render(template, payload, attributes=None):
    """What a template makes of a payload, for an entity with these attributes; without a template, the payload."""
    if template is None:
        return payload
    names = {"value": payload, "this": {"attributes": attributes or {}}}
    try:
        names["value_json"] = json.loads(payload)
    except ValueError:
        pass
    return environment.from_string(template).render(names)


def expanded(settings):
    settings = {ABBREVIATIONS.get(key, key): value for key, value in settings.items()}
    unknown = set(settings) - KNOWN
    assert not unknown, f"Home Assistant does not know {unknown}"
    return settings


def configurations(retained):
    """Every entity's settings, out of both forms of discovery."""
    for topic, payload in retained.items():
        levels = topic.split("/")
        if levels[0] != "homeassistant" or levels[-1] != "config":
            continue
        settings = expanded(json.loads(payload))
        assert settings["origin"]["name"] and settings["device"]["ids"]
        if levels[1] == "device":
            for key, component in settings["components"].items():
                component = expanded(component)
                platform = component.pop("platform")
                if component:
                    yield platform, component
        else:
            yield levels[1], settings


def available(settings, last):
    entries = [expanded(entry) for entry in settings.get("availability", [])]
    if "availability_topic" in settings:
        entries.append({"topic": settings["availability_topic"]})
    return all(render(e.get("value_template"), last.get(e["topic"], "")) == "online" for e in entries)


def event(settings, messages):
    """The attributes of the last event; None if there was none."""
    found = None
    for topic, payload in messages:
        if topic != settings["state_topic"] or not (text := render(settings["value_template"], payload, found)):
            continue
        found = json.loads(text)
        assert found["event_type"] in settings["event_types"], found
    return found


def main():
    retained, last, messages = {}, {}, []
    for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
        topic, payload = line.split("\t")
        last[topic] = bytes.fromhex(payload).decode("utf-8")
        retained[topic] = last[topic]
        messages.append((topic, last[topic]))
        if not payload:
            del retained[topic]
    entities = {}
    for platform, settings in configurations(retained):
        entity = {"platform": platform, "name": settings["name"], "available": available(settings, last)}
        for key in ("unit_of_measurement", "device_class", "state_class", "state_topic"):
            entity[key] = settings.get(key)
        entity["enabled"] = settings.get("enabled_by_default", True)
        if platform == "event":
            entity["attributes"] = event(settings, messages)
            entity["state"] = entity["attributes"] and entity["attributes"]["event_type"]
        elif "state_topic" in settings and settings["state_topic"] in last:
            # What was retained last is what it gets when it starts.
            state = render(settings.get("value_template"), last[settings["state_topic"]])
            assert len(state) <= 255, state
            on = {settings.get("payload_on", "ON"): "on", settings.get("payload_off", "OFF"): "off", "None": None}
            entity["state"] = on[state] if platform == "binary_sensor" else None if state == "None" else state
        if "json_attributes_topic" in settings and settings["json_attributes_topic"] in last:
            payload = last[settings["json_attributes_topic"]]
            entity["attributes"] = json.loads(render(settings["json_attributes_template"], payload))
            blocked = BLOCKED & set(entity["attributes"])
            assert not blocked, f"Home Assistant leaves out {blocked}"
        if "command_topic" in settings:
            entity["command_topic"] = settings["command_topic"]
            entity["command"] = render(settings["command_template"], "PRESS")
            entity["retain"] = settings["retain"]
        assert settings["unique_id"] not in entities
        entities[settings["unique_id"]] = entity
    print(json.dumps(entities))


main()
