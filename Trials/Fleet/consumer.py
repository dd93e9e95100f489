# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""One who listens to a broker: with a thread and a session of its own, and back as soon as the broker is."""

import contextlib
import pathlib
import socket
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Chaos"))

import mqtt

# Seconds between two tries to connect.
PAUSE = 0.1


class Consumer:
    def __init__(self, broker, port, hear, filters, name, qos=1):
        # How the ledger knows the broker.
        self.broker = broker
        self.port = port
        self.hear = hear
        self.filters = filters
        self.name = name
        self.qos = qos
        self.end = None
        self.is_open = True
        self.heard = time.monotonic()
        self.subscribed = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while self.is_open:
            with contextlib.suppress(OSError):
                self.listen()
            time.sleep(PAUSE)

    def listen(self):
        with socket.create_connection(("127.0.0.1", self.port), 5) as self.end:
            self.end.settimeout(None)
            # A session that lives on, with a name and a password for brokers that want them; what comes meanwhile waits there.
            flags = 0xC0 if self.qos else 0xC2
            self.send(0x10, b"\x00\x04MQTT\x04" + bytes([flags]) + b"\x00\x00" + text(self.name) + text("consumer") + text("any"))
            packets = mqtt.Packets()
            while data := self.end.recv(1 << 18):
                now = time.time()
                self.heard = time.monotonic()
                acknowledgements = b""
                for kind, flags, body, whole in packets.feed(data):
                    if kind == mqtt.CONNACK:
                        filters = b"".join(text(one) + bytes([self.qos]) for one in self.filters)
                        self.send(0x82, b"\x00\x01" + filters)
                    elif kind == 9:
                        self.subscribed.set()
                    elif kind == mqtt.PUBLISH:
                        topic, identifier, payload = mqtt.publish(flags, body, 4)
                        self.hear(self.broker, now, topic, payload, flags & 1, len(whole))
                        if identifier is not None:
                            acknowledgements += b"\x40\x02" + identifier.to_bytes(2, "big")
                # Counted first: what is not acknowledged comes again.
                if acknowledgements:
                    self.end.sendall(acknowledgements)

    def send(self, first, body):
        length, rest = bytearray(), len(body)
        while True:
            rest, digit = rest >> 7, rest & 0x7F
            length.append(digit | (0x80 if rest else 0))
            if not rest:
                break
        self.end.sendall(bytes([first]) + bytes(length) + body)

    def publish(self, topic, payload, identifier):
        """Says something once, QoS 1; nobody looks for the acknowledgement."""
        self.send(0x32, text(topic) + identifier.to_bytes(2, "big") + payload.encode())

    def close(self):
        self.is_open = False
        with contextlib.suppress(OSError, AttributeError):
            self.end.shutdown(socket.SHUT_RDWR)
        self.thread.join(5)


def text(value):
    return len(value).to_bytes(2, "big") + value.encode()
