# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Vehicles that only publish: many of them, and one whose values go on."""

import datetime
import json
import socket
import threading
import time

# What the console knows best comes first; the others have the groups of the shared words, or none.
KNOWN = [
    "engine_speed", "vehicle_speed", "coolant_temperature", "engine_load", "fuel_level", "control_module_voltage", "mass_air_flow",
    "throttle_position", "intake_air_temperature", "timing_advance", "short_term_fuel_trim_bank_1", "long_term_fuel_trim_bank_1",
]
UNITS = {"engine_speed": "rpm", "vehicle_speed": "km/h", "coolant_temperature": "°C", "control_module_voltage": "V", "mass_air_flow": "g/s"}


def present():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def names(count):
    return (KNOWN + [f"custom_value_{index:03}" for index in range(count)])[:count]


def reading(name, value):
    return {"value": value, "unit": UNITS.get(name, "%"), "ecu": "7E8", "quality": "good", "time": present()}


def vehicle(index, parameters=0, lamp=False):
    """The retained messages of a vehicle, as pairs of topic and payload."""
    now = present()
    codes = [{"code": f"P{2000 + code:04}", "ecu": "7E8", "states": ["pending"], "first_seen": now} for code in range(index % 3)]
    chosen = names(parameters)
    documents = {
        "availability": "online",
        "status": {"v": 1, "time": now, "agent": f"{index:012x}", "version": "0.1.0", "link": "connected", "parked": False, "ignition": "running",
                   "clock": "synchronised", "live_within": 60, "battery": {"voltage": 12 + index % 20 / 10, "time": now},
                   "acknowledged": {"epoch": 1, "telemetry": 0, "events": 0, "responses": 0}},
        "codes": {"v": 1, "time": now, "known": True, "mil": lamp, "codes": codes, "unread": [], "not_supported": [], "freeze_frames": {}},
    }
    if parameters:
        documents["vehicle"] = {
            "v": 1, "time": now, "vin": "ZZZSMVLATR4700893", "vin_check_digit": "correct", "protocol": "ISO 15765-4 (CAN 11/500)", "dialect": "j1979",
            "selected": {name: 1 for name in chosen}, "ecus": [{"ecu": "7E8", "name": "ECM-EngineControl", "supported": chosen, "unread": []}],
        }
        documents["monitors"] = {"v": 1, "time": now, "mil": lamp, "code_count": 0, "monitors": {"misfire": "complete", "evap": "incomplete"}, "ecus": {}}
        documents |= {f"parameters/{name}": reading(name, 40 + place % 50) for place, name in enumerate(chosen)}
    return [(f"obd/{name(index)}/{path}", document) for path, document in documents.items()]


def name(index):
    return f"van-{index:04}"


def crowd(count, parameters, without=()):
    """That many vehicles; the first one has values."""
    return [message for index in range(count) if index not in without for message in vehicle(index, parameters if index == 0 else 0)]


class Talker:
    """Publishes values of a vehicle at a steady pace, until it ends."""

    def __init__(self, port, index, parameters, rate):
        self.topics = [f"obd/{name(index)}/parameters/{one}" for one in names(parameters)]
        self.rate = rate
        self.sent = 0
        self.ends = threading.Event()
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.connection.sendall(packet(0x10, words("MQTT") + bytes([4, 2, 0, 0]) + words("talker")))
        assert self.connection.recv(4) == bytes([0x20, 2, 0, 0])
        self.thread = threading.Thread(target=self.talk, daemon=True)
        self.thread.start()

    def talk(self):
        begun = time.monotonic()
        while not self.ends.is_set():
            topic = self.topics[self.sent % len(self.topics)]
            payload = json.dumps(reading(topic.rsplit("/", 1)[1], 40 + self.sent * 7 % 50))
            self.connection.sendall(packet(0x31, words(topic) + payload.encode()))
            self.sent += 1
            self.ends.wait(max(0, begun + self.sent / self.rate - time.monotonic()))

    def end(self):
        self.ends.set()
        self.thread.join()
        self.connection.close()


def packet(kind, body):
    """A packet of MQTT 3.1.1."""
    size, length = b"", len(body)
    while True:
        length, digit = length >> 7, length & 127
        size += bytes([digit | (128 if length else 0)])
        if not length:
            return bytes([kind]) + size + body


def words(text):
    return len(text.encode()).to_bytes(2, "big") + text.encode()
