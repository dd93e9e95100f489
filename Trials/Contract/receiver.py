# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A gpsd as an agent sees it: what it says of a vehicle that drives in a circle, and into its zone."""

import datetime
import json
import math
import socket
import threading
import time


class Receiver:
    """Serves everybody who connects to its port, until the program ends."""

    # The middle of the circle, in the degrees of the zone too.
    LATITUDE, LONGITUDE = 52.5, 13.4

    def __init__(self, zone_after=None):
        """`zone_after`: the seconds after which the vehicle is in the middle of the circle, where a zone may be."""
        self.zone_after = zone_after
        # Whether the vehicle stands where the circle begins.
        self.stands = False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            peer, _ = self.listener.accept()
            threading.Thread(target=self.speak, args=(peer,), daemon=True).start()

    def speak(self, peer):
        try:
            peer.sendall(b'{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}\r\n')
            start = time.monotonic()
            while True:
                peer.sendall(json.dumps(self.position(time.monotonic() - start)).encode() + b"\r\n")
                time.sleep(0.5)
        except OSError:
            peer.close()

    def position(self, seconds):
        """At 20 m/s on a circle of 2 km: a turn every minute or so."""
        angle = 0 if self.stands else seconds * 20 / 2000
        is_home = self.zone_after is not None and seconds > self.zone_after
        radius = 0 if is_home else 2000
        return {
            "class": "TPV", "device": "/dev/ttyACM0", "mode": 3, "eph": 7.5, "altMSL": 36.2, "speed": 0.0 if self.stands else 20.0,
            "time": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z",
            "lat": self.LATITUDE + radius * math.sin(angle) / 111195,
            "lon": self.LONGITUDE + radius * math.cos(angle) / (111195 * math.cos(math.radians(self.LATITUDE))),
            "track": (360 - math.degrees(angle)) % 360,
        }

    def overlay(self, zone=False):
        """The table of `agent.toml`."""
        lines = f'[position]\ngpsd = "127.0.0.1:{self.port}"\n'
        if zone:
            lines += f'[[position.zones]]\nname = "home"\nlatitude = {self.LATITUDE}\nlongitude = {self.LONGITUDE}\nradius = 200\n'
        return lines
