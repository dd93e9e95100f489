#!/usr/bin/env python3
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Writes the odometer of one vehicle into LubeLogger after each trip.

Needs paho-mqtt and vehicle.py beside it, and a vehicle that reports its odometer. LUBELOGGER_KEY is an API key with the
right to edit; ID is the number of the vehicle in LubeLogger. LubeLogger has whole numbers without a unit: they are km
here, and --miles makes them miles.

  lubelogger.py --host broker.example ZZZSMVLATR4700893 https://lubelogger.example ID
"""

import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

from vehicle import connect, connection_arguments

KM_A_MILE = 1.609344


class LubeLogger:
    def __init__(self, url, vehicle):
        self.url, self.vehicle = url.rstrip("/") + "/api/vehicle/odometerrecords", vehicle

    def request(self, path, content=None):
        url = f"{self.url}/{path}?{urllib.parse.urlencode({'vehicleId': self.vehicle})}"
        headers = {"x-api-key": os.environ["LUBELOGGER_KEY"], "culture-invariant": "true", "Content-Type": "application/json"}
        body = None if content is None else json.dumps(content).encode()
        with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=10) as answer:
            return json.load(answer)

    def add(self, date, odometer, notes):
        # The broker may deliver a trip twice, and LubeLogger would keep both.
        if odometer <= self.request("latest"):
            return False
        answer = self.request("add", {"date": date, "odometer": str(odometer), "notes": notes, "tags": "obd-agent"})
        if not answer["success"]:
            sys.exit(f"LubeLogger did not take the odometer: {answer['message']}")
        return True


def main():
    parser = connection_arguments(__doc__)
    parser.add_argument("vehicle")
    parser.add_argument("url")
    parser.add_argument("id", type=int)
    parser.add_argument("--miles", action="store_true")
    options = parser.parse_args()
    if not os.environ.get("LUBELOGGER_KEY"):
        sys.exit("LUBELOGGER_KEY is missing in the environment.")
    lubelogger = LubeLogger(options.url, options.id)

    def on_message(client, userdata, message):
        state = json.loads(message.payload) if message.payload else {}
        end = state.get("trip", {}).get("end", {})
        # A trip that goes on has no final odometer. Without a time the agent's clock was not set at the end.
        if state.get("ongoing", True) or "odometer" not in end or "time" not in end:
            return
        odometer = int(end["odometer"] / (KM_A_MILE if options.miles else 1))
        distance = state["trip"].get("distance")
        try:
            if lubelogger.add(end["time"][:10], odometer, "" if distance is None else f"A trip of {distance:.1f} km."):
                print(options.vehicle, end["time"], odometer, flush=True)
        except urllib.error.HTTPError as error:
            sys.exit(f"LubeLogger refused the odometer: {error}. Check LUBELOGGER_KEY and the vehicle's number, {options.id}.")
        except OSError as error:
            print(f"LubeLogger is out of reach; the next trip goes there again: {error}", file=sys.stderr)

    # Retained, so the last trip is there after a break, too.
    connect(options, [f"obd/{options.vehicle}/trip"], on_message).loop_forever()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
