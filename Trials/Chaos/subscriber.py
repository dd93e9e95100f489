# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A subscriber with a thread of its own, which notes when each message came and does nothing else."""

import socket
import threading
import time

import mqtt


class Subscriber:
    def __init__(self, port, topics):
        self.messages = []
        self.end = socket.create_connection(("127.0.0.1", port))
        body = b"\x00\x04MQTT\x04\x02\x00\x00" + text("subscriber")
        self.end.sendall(bytes([0x10, len(body)]) + body)
        body = b"\x00\x01" + b"".join(text(topic) + b"\x00" for topic in topics)
        self.end.sendall(bytes([0x82, len(body)]) + body)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        packets = mqtt.Packets()
        while data := self.end.recv(1 << 18):
            now = time.time()
            for kind, flags, body, _ in packets.feed(data):
                if kind == mqtt.PUBLISH:
                    self.messages.append((now, flags & 1, *mqtt.publish(flags, body, 4)[::2]))

    def close(self):
        self.end.shutdown(socket.SHUT_RDWR)
        self.thread.join(5)
        self.end.close()


def text(value):
    return len(value).to_bytes(2, "big") + value.encode()
