#!/usr/bin/env python3
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Shows vehicles in Traccar, by its OsmAnd protocol: each present position, not the last one of a lost receiver.

Needs paho-mqtt and vehicle.py beside it, and agents with [position] gpsd. In Traccar, add a device for each vehicle,
whose identifier is the vehicle's topic level: the VIN, unless the configuration names it otherwise.

  traccar.py --host broker.example http://traccar.example:5055/
"""

import datetime
import json
import sys
import urllib.error
import urllib.parse
import urllib.request

from vehicle import connect, connection_arguments

KM_H_A_KNOT = 1.852


def query(vehicle, position):
    """The parameters of the protocol: the time in milliseconds, the speed in knots."""
    time = datetime.datetime.fromisoformat(position["time"].replace("Z", "+00:00"))
    result = {"id": vehicle, "lat": position["latitude"], "lon": position["longitude"], "timestamp": round(time.timestamp() * 1000)}
    for name, member in {"altitude": "altitude", "bearing": "heading", "accuracy": "accuracy"}.items():
        if member in position:
            result[name] = position[member]
    if "speed" in position:
        result["speed"] = round(position["speed"] / KM_H_A_KNOT, 2)
    return result


def main():
    parser = connection_arguments(__doc__)
    parser.add_argument("url", help="Traccar's port for the OsmAnd protocol, 5055 by default")
    options = parser.parse_args()
    shown = {}

    def on_message(client, userdata, message):
        vehicle = message.topic.split("/")[1]
        position = json.loads(message.payload) if message.payload else {}
        # "stale" and "jumping" are no present positions, and "withheld" says that nobody shall see it.
        if position.get("quality") != "good" or shown.get(vehicle) == position["time"]:
            return
        try:
            with urllib.request.urlopen(f"{options.url}?{urllib.parse.urlencode(query(vehicle, position))}", timeout=10):
                shown[vehicle] = position["time"]
                print(vehicle, position["time"], flush=True)
        except urllib.error.HTTPError as error:
            # One vehicle that is missing in Traccar must not stop the others.
            hint = f" Add a device with the identifier {vehicle}." if error.code == 400 else ""
            print(f"Traccar refused a position of {vehicle}: {error}.{hint}", file=sys.stderr)
        except OSError as error:
            print(f"Traccar is out of reach; the next position goes there again: {error}", file=sys.stderr)

    connect(options, ["obd/+/position"], on_message).loop_forever()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
