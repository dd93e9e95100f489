# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""As much of MQTT (3.1.1 and 5) as a witness needs: packets cut out of a byte stream, PUBLISH and PUBACK read."""

CONNECT, CONNACK, PUBLISH, PUBACK, DISCONNECT = 1, 2, 3, 4, 14


class Packets:
    """The packets of one direction; feed() gives each as (type, flags, body, whole)."""

    def __init__(self):
        self.rest = b""

    def feed(self, data):
        self.rest += data
        while len(self.rest) >= 2:
            length, shift, start = 0, 0, 1
            while True:
                if start >= len(self.rest):
                    return
                byte = self.rest[start]
                length |= (byte & 0x7F) << shift
                start, shift = start + 1, shift + 7
                if byte < 0x80:
                    break
                if shift > 21:
                    raise ValueError("a packet's length is none")
            if len(self.rest) < start + length:
                return
            whole, self.rest = self.rest[: start + length], self.rest[start + length :]
            yield whole[0] >> 4, whole[0] & 0x0F, whole[start:], whole


def version(connect):
    """The protocol level of a CONNECT: 4 or 5."""
    return connect[2 + int.from_bytes(connect[:2], "big")]


def publish(flags, body, level):
    """Topic, packet id (none at QoS 0) and payload of a PUBLISH."""
    end = 2 + int.from_bytes(body[:2], "big")
    topic, identifier = body[2:end].decode(), None
    if flags & 0x06:
        identifier, end = int.from_bytes(body[end : end + 2], "big"), end + 2
    if level == 5:
        length, shift = 0, 0
        while True:
            byte = body[end]
            length |= (byte & 0x7F) << shift
            end, shift = end + 1, shift + 7
            if byte < 0x80:
                break
        end += length
    return topic, identifier, body[end:]


def acknowledges(body):
    """The packet id of a PUBACK that says yes; nothing for one that does not."""
    return int.from_bytes(body[:2], "big") if len(body) < 3 or body[2] < 0x80 else None
