#!/usr/bin/env python3
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Tells A Better Routeplanner (ABRP) the charge of one vehicle while it is in use, at most each 10 s.

Needs paho-mqtt and vehicle.py beside it. ABRP_TOKEN is the vehicle's token from the app (live data, generic),
ABRP_API_KEY is yours from Iternio. What the vehicle does not tell is left out; so is the power, because the sign of a
traction battery's current is up to the make.

  abrp.py --host broker.example ZZZSMVLATR4700893
"""

import datetime
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from vehicle import connect, connection_arguments

# ABRP's names; the role and the unit that a value must have.
MEMBERS = {
    "soc": ("state_of_charge", "%"), "speed": ("vehicle_speed", "km/h"), "soh": ("state_of_health", "%"),
    "ext_temp": ("outside_temperature", "°C"), "odometer": ("odometer", "km"), "voltage": ("traction_battery_voltage", "V"),
}
PLACE = {"lat": "latitude", "lon": "longitude", "heading": "heading", "elevation": "altitude"}
# Live values come at least once a minute. What is older was read in an earlier drive.
OLDEST = 150


def age(time):
    then = datetime.datetime.fromisoformat(time.replace("Z", "+00:00"))
    return (datetime.datetime.now(datetime.timezone.utc) - then).total_seconds()


class Vehicle:
    def __init__(self):
        self.description, self.position, self.readings = {"roles": {}, "true_values": {}}, {}, {}

    def receive(self, kind, names, content):
        if kind == "parameters":
            self.readings[names[0]] = content
        elif kind == "vehicle":
            self.description = content or self.description
        else:
            self.position = content or {}

    def present(self, role):
        """The values with that role that were read just now, the one that counts first first."""
        for name in self.description["roles"].get(role, []):
            reading = self.readings.get(name)
            if reading and age(reading["time"]) < OLDEST:
                yield name, reading

    def is_true(self, name, value):
        codes = self.description["true_values"].get(name)
        return value in codes if codes and not isinstance(value, bool) else bool(value)

    def telemetry(self):
        """What ABRP is told; nothing without a present charge."""
        told = {}
        for member, (role, unit) in MEMBERS.items():
            for _, reading in list(self.present(role))[:1]:
                if reading.get("unit") != unit:
                    sys.exit(f"{role} is in {reading.get('unit')}, and ABRP wants {unit}. Set units = \"metric\" in agent.toml.")
                told[member] = reading["value"]
                if member == "soc":
                    told["utc"] = int(time.time() - age(reading["time"]))
        charging = [self.is_true(name, reading["value"]) for name, reading in self.present("charging")]
        if charging:
            told["is_charging"] = int(any(charging))
        if self.position.get("quality") == "good" and age(self.position["time"]) < OLDEST:
            told.update({name: self.position[member] for name, member in PLACE.items() if member in self.position})
        return told if "soc" in told else None


def send(url, told):
    form = {"api_key": os.environ["ABRP_API_KEY"], "token": os.environ["ABRP_TOKEN"], "tlm": json.dumps(told)}
    try:
        with urllib.request.urlopen(url, urllib.parse.urlencode(form).encode(), timeout=10) as answer:
            status = json.load(answer).get("status")
    except urllib.error.HTTPError as error:
        if error.code < 500:
            sys.exit(f"ABRP refused the telemetry: {error}. Check ABRP_TOKEN and ABRP_API_KEY.")
        status = error
    except (OSError, ValueError) as error:
        status = error
    print(told if status == "ok" else f"ABRP did not take {told}: {status}", flush=True)


def main():
    parser = connection_arguments(__doc__)
    parser.add_argument("vehicle")
    parser.add_argument("--url", default="https://api.iternio.com/1/tlm/send")
    options = parser.parse_args()
    for name in ("ABRP_TOKEN", "ABRP_API_KEY"):
        if not os.environ.get(name):
            sys.exit(f"{name} is missing in the environment.")
    vehicle, next_time = Vehicle(), 0

    def on_message(client, userdata, message):
        nonlocal next_time
        _, _, kind, *names = message.topic.split("/")
        vehicle.receive(kind, names, json.loads(message.payload) if message.payload else None)
        if time.monotonic() >= next_time and (told := vehicle.telemetry()):
            next_time = time.monotonic() + 10
            send(options.url, told)

    topics = [f"obd/{options.vehicle}/{kind}" for kind in ("vehicle", "position", "parameters/+")]
    connect(options, topics, on_message).loop_forever()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
