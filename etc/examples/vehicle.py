#!/usr/bin/env python3
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Follows vehicles, or reads the codes of one: obd-agent's contract in Python.

Needs paho-mqtt, 1.6 or newer: apt install python3-paho-mqtt, or pip install paho-mqtt.

  vehicle.py --host broker.example watch
  vehicle.py --host broker.example codes ZZZSMVLATR4700893
"""

import argparse
import datetime
import json
import os
import sys
import threading
import time
import uuid

import paho.mqtt.client as mqtt

# The time after which silence is told: agents retain their states, so something arrives at once.
SILENCE = 10


def connect(options, subscriptions, on_message):
    """Returns a client that is connected and subscribed, or ends the program with the reason."""
    refusals, subscribed = [], []
    # paho-mqtt 2 requires the version of the callbacks; 1.6 does not know it.
    styles = getattr(mqtt, "CallbackAPIVersion", None)
    client = mqtt.Client(*([styles.VERSION2] if styles else []), protocol=mqtt.MQTTv5)
    if options.username:
        client.username_pw_set(options.username, os.environ.get("MQTT_PASSWORD"))
    if options.tls:
        client.tls_set(options.ca_file)

    def on_connect(client, userdata, flags, reason, properties):
        if reason != 0:
            # Later the client's thread runs this, which sys.exit would not end.
            refusals.append(reason)
            return
        # Subscribes here, so that a reconnect subscribes again.
        client.subscribe([(topic, 1) for topic in subscriptions])

    client.on_connect = on_connect
    client.on_subscribe = lambda *_: subscribed.append(True)
    client.on_message = on_message
    try:
        client.connect(options.host, options.port)
    except OSError as error:
        sys.exit(f"The broker at {options.host}:{options.port} is out of reach: {error}")
    # The caller runs the loop from then on, in whichever way.
    deadline = time.monotonic() + SILENCE
    while not subscribed:
        error = client.loop(0.1)
        if refusals:
            sys.exit(f"The broker refused the connection: {refusals[0]}. Try: --username, and MQTT_PASSWORD")
        if error or time.monotonic() > deadline:
            sys.exit("The broker does not answer. Try: --tls, if the port expects TLS")
    return client


def watch(options):
    """Prints each value as it changes, events, and whether the agents are online."""
    heard = []

    def on_message(client, userdata, message):
        heard[:] = [True]
        _, vehicle, kind, *rest = message.topic.split("/")
        if kind == "availability":
            print(vehicle, "is", message.payload.decode())
        elif kind == "parameters" and message.payload:  # an empty payload: no longer polled
            reading = json.loads(message.payload)
            print(vehicle, "/".join(rest), reading.get("label", reading["value"]), reading.get("unit", ""), reading["time"])
        elif kind == "events":
            event = json.loads(message.payload)
            # Ignore unknown events: later versions may add some.
            print(vehicle, "event", event["event"], event.get("code", ""), event["time"])
        sys.stdout.flush()

    def check():
        if not heard:
            print("Nothing has come. No agent is there, or the access list lets this user read nothing.", file=sys.stderr)

    client = connect(options, ["obd/+/availability", "obd/+/parameters/#", "obd/+/events"], on_message)
    timer = threading.Timer(SILENCE, check)
    timer.daemon = True
    timer.start()
    client.loop_forever()


def codes(options):
    """Makes the vehicle read its codes, and prints them."""
    now = datetime.datetime.now(datetime.timezone.utc)
    command = {
        "id": f"example-{uuid.uuid4()}",
        "command": "read_codes",
        "issued_at": now.isoformat(timespec="milliseconds"),
        "expires_at": (now + datetime.timedelta(minutes=1)).isoformat(timespec="milliseconds"),
    }
    answers = []
    known = []

    def on_message(client, userdata, message):
        if message.topic.endswith("/availability"):
            known.append(message.payload.decode())
            return
        answer = json.loads(message.payload)
        if answer["id"] == command["id"] and answer["state"] in ("succeeded", "failed", "refused"):
            answers.append(answer)

    client = connect(options, [f"obd/{options.vehicle}/{topic}" for topic in ("responses", "availability")], on_message)
    client.loop_start()
    # Publishes after the subscription, so that no response is missed.
    client.publish(f"obd/{options.vehicle}/commands", json.dumps(command), qos=1)
    start = time.monotonic()
    while not answers:
        waited = time.monotonic() - start
        if not known and waited > SILENCE:
            sys.exit(f"No vehicle {options.vehicle} is known, or the access list lets this user not read it.")
        if waited > 70:
            sys.exit("No response came within 70 s. The vehicle may be offline.")
        time.sleep(0.1)
    client.loop_stop()
    answer = answers[0]
    if answer["state"] != "succeeded":
        sys.exit(f"{answer['state']}: {answer['reason']}: {answer['message']}")
    for code in answer["result"]["codes"]:
        print(code["code"], code["ecu"], ",".join(code["states"]), code.get("description", ""))


def connection_arguments(description):
    """The arguments that every program here has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="localhost")
    parser.add_argument("--port", type=int, default=1883)
    parser.add_argument("--username", help="the password comes from MQTT_PASSWORD")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--ca-file", help="the authority that signed the broker's certificate (default: the system's)")
    return parser


def main():
    parser = connection_arguments(__doc__)
    commands = parser.add_subparsers(required=True)
    commands.add_parser("watch").set_defaults(run=watch)
    one = commands.add_parser("codes")
    one.add_argument("vehicle")
    one.set_defaults(run=codes)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
