# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A broker that nobody should trust: it delivers what it likes, as often as it likes, with any flags and packet ids."""

import asyncio
import contextlib

import mqtt

SUBSCRIBE, SUBACK, PINGREQ, PINGRESP = 8, 9, 12, 13


class HostileBroker:
    def __init__(self, level, heard):
        # The newest version of MQTT that it speaks: 4 (3.1.1) or 5.
        self.level = level
        # Called with the topic below the vehicle's, and the payload, of each message of the agent's.
        self.heard = heard
        self.writer = None
        self.identifier = 0
        self.delivered = 0
        self.connections = 0
        # The agent listens to commands.
        self.ready = asyncio.Event()

    async def start(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        return self.server.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        packets = mqtt.Packets()
        try:
            while data := await reader.read(65536):
                for kind, flags, body, _ in packets.feed(data):
                    self.receive(kind, flags, body, writer)
        except ConnectionError:
            pass
        finally:
            if self.writer is writer:
                self.writer = None
                self.ready.clear()
            writer.close()

    async def close(self):
        self.server.close()
        while self.writer:
            self.writer.close()
            await asyncio.sleep(0.01)

    def receive(self, kind, flags, body, writer):
        if kind == mqtt.CONNECT:
            if mqtt.version(body) > self.level:
                # As a broker says that knows 3.1.1 only.
                writer.write(packet(mqtt.CONNACK, 0, b"\x00\x01"))
                return writer.close()
            self.writer = writer
            self.connections += 1
            writer.write(packet(mqtt.CONNACK, 0, b"\x00\x00" + self.properties))
        elif kind == SUBSCRIBE:
            writer.write(packet(SUBACK, 0, body[:2] + self.properties + b"\x01"))
            self.ready.set()
        elif kind == mqtt.PUBLISH:
            topic, identifier, payload = mqtt.publish(flags, body, self.level)
            if identifier:
                writer.write(packet(mqtt.PUBACK, 0, identifier.to_bytes(2, "big")))
            self.heard(topic.split("/", 2)[2], payload)
        elif kind == PINGREQ:
            writer.write(packet(PINGRESP, 0, b""))

    @property
    def properties(self):
        return b"\x00" if self.level == 5 else b""

    def deliver(self, payload, topic="obd/van/commands", qos=1, retain=False, copies=1, properties=None):
        """Delivers a message; copies have the same packet id, and all but the first the DUP flag.

        `properties` are those of MQTT 5, with their length before them.
        """
        if not self.writer or self.writer.is_closing():
            return
        name = topic.encode()
        body = len(name).to_bytes(2, "big") + name
        if qos:
            self.identifier = self.identifier % 65535 + 1
            body += self.identifier.to_bytes(2, "big")
        body += (self.properties if properties is None else properties) + payload
        for copy in range(copies):
            flags = (copy > 0 and qos > 0) << 3 | qos << 1 | retain
            self.writer.write(packet(mqtt.PUBLISH, flags, body))
            self.delivered += 1

    async def flush(self):
        with contextlib.suppress(ConnectionError, AttributeError):
            await self.writer.drain()


def packet(kind, flags, body):
    length, digits = len(body), b""
    while True:
        length, digit = length >> 7, length & 0x7F
        digits += bytes([digit | (0x80 if length else 0)])
        if not length:
            return bytes([kind << 4 | flags]) + digits + body
