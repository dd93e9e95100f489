# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Brokers that break the protocol. None may end the agent or its recording; H4 has those that did."""

import asyncio
import contextlib
import time

import mqtt
from broker import SUBACK, SUBSCRIBE, packet
from recording import exported, resident
from victim import Broker, Victim

SECONDS, AT_ONCE, MEMORY = 8, 12, 64
PUBREC, PUBREL, PUBCOMP, PINGRESP, AUTH = 5, 6, 7, 13, 15


def connack(properties=b"", reason=0, flags=0):
    return packet(mqtt.CONNACK, 0, bytes([flags, reason]) + variable(len(properties)) + properties)


def variable(number):
    digits = b""
    while number > 127:
        digits += bytes([number & 127 | 128])
        number >>= 7
    return digits + bytes([number])


def text(identifier, value):
    return bytes([identifier]) + len(value).to_bytes(2, "big") + value


def publish(body, flags=0):
    return packet(mqtt.PUBLISH, flags, body)


TOPIC = b"\x00\x10obd/van/commands"
# The bytes that replace CONNACK.
AT_CONNECT = {
    "nothing but a type that there is not": packet(0, 0, b""),
    "AUTH": packet(AUTH, 0, b"\x18\x00"),
    "a CONNACK of one byte": packet(mqtt.CONNACK, 0, b"\x00"),
    "a length that never ends": b"\x20\xff\xff\xff\xff\xff",
    "a length of 256 MiB, and nothing": b"\x30\xff\xff\xff\x7f",
    "CONNACK with each bit of the flags": connack(flags=0xFF),
    "a session that nobody has asked for": connack(flags=1),
    "properties that are longer than the packet": packet(mqtt.CONNACK, 0, b"\x00\x00\xff\x7f"),
    "a property twice": connack(b"\x21\x00\x0a\x21\x00\x0a"),
    "receive maximum 0": connack(b"\x21\x00\x00"),
    "maximum packet size 0": connack(b"\x27\x00\x00\x00\x00"),
    "maximum packet size 1": connack(b"\x27\x00\x00\x00\x01"),
    "maximum QoS 0": connack(b"\x24\x00"),
    "maximum QoS 7": connack(b"\x24\x07"),
    "no retained messages": connack(b"\x25\x00"),
    "keep alive 1": connack(b"\x13\x00\x01"),
    "keep alive 0": connack(b"\x13\x00\x00"),
    "a client id of 64 KiB": connack(text(0x12, b"x" * 65_535)),
    "a reason of 64 KiB": connack(text(0x1F, b"\x1b[31m" * 13_000)),
    "2000 user properties": connack((b"\x26\x00\x01a\x00\x01b") * 2000),
    "another server": connack(text(0x1C, b"127.0.0.1:1"), reason=0x9C),
    "an authentication method": connack(text(0x15, b"x") + text(0x16, b"y" * 1000)),
    "CONNACK three times": connack() * 3,
    "a message before CONNACK": publish(TOPIC + b"\x00{}") + connack(),
    "a refusal as of 3.1.1, for ever": packet(mqtt.CONNACK, 0, b"\x00\x01"),
    "bad user name or password": connack(reason=0x86),
    "banned": connack(reason=0x8A),
    "a reason that there is not": connack(reason=0xFE),
    "CONNECT to the client": packet(mqtt.CONNECT, 0, b"\x00\x04MQTT\x05\x02\x00\x0a\x00\x00\x01x"),
    "a web server's answer": b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
    "an alert of TLS": b"\x15\x03\x03\x00\x02\x02\x28",
}
# The bytes that follow SUBACK.
AFTER = {
    "acknowledgements of what was never sent": b"".join(
        packet(kind, 2 if kind == PUBREL else 0, b"\x7f\xff") for kind in (mqtt.PUBACK, PUBREC, PUBREL, PUBCOMP)
    )
    * 100,
    "1000 codes in one SUBACK": packet(SUBACK, 0, b"\x00\x01\x00" + b"\x01" * 1000),
    "100,000 PINGRESP": packet(PINGRESP, 0, b"") * 100_000,
    "a topic that is longer than the packet": publish(b"\xff\xffobd"),
    "a topic with a null byte": publish(b"\x00\x03o\x00d\x00{}"),
    "a topic that is no UTF-8": publish(b"\x00\x03o\xff\xfe\x00{}"),
    "a topic with wildcards": publish(b"\x00\x05obd/#\x00{}"),
    "a topic of 64 KiB": publish(b"\xff\xff" + b"x/" * 32_767 + b"x\x00{}"),
    "an empty topic": publish(b"\x00\x00\x00{}"),
    "an alias of a topic that is none": publish(b"\x00\x00\x03\x23\xff\xff{}"),
    "QoS 2, which nobody subscribed to": publish(TOPIC + b"\x00\x01\x00{}", 4),
    "QoS 3": publish(TOPIC + b"\x00\x01\x00{}", 6),
    "packet id 0": publish(TOPIC + b"\x00\x00\x00{}", 2),
    "a response topic with wildcards": publish(TOPIC + variable(8) + text(8, b"obd/#") + b"{}"),
    "a content type that is no UTF-8": publish(TOPIC + variable(6) + text(3, b"\xff\xfe\xfd") + b"{}"),
    "a subscription identifier 0": publish(TOPIC + b"\x02\x0b\x00{}"),
    "SUBSCRIBE to the client": packet(SUBSCRIBE, 2, b"\x00\x01\x00\x00\x01#\x01"),
    "DISCONNECT: another session": packet(mqtt.DISCONNECT, 0, b"\x8e\x00"),
    "DISCONNECT: a quota is exceeded": packet(mqtt.DISCONNECT, 0, b"\x97\x00"),
}


class Breaking(Broker):
    def __init__(self, at_connect=None, after=None):
        super().__init__()
        self.at_connect = at_connect
        self.after = after

    def receive(self, kind, flags, body, writer):
        if kind == mqtt.CONNECT and self.at_connect is not None:
            self.writer = writer
            self.connections += 1
            writer.write(self.at_connect)
        else:
            super().receive(kind, flags, body, writer)
            if kind == SUBSCRIBE and self.after:
                writer.write(self.after)


async def play(arena):
    limit = asyncio.Semaphore(AT_ONCE)
    noise = {f"random bytes ({number})": arena.dice.randbytes(2000) for number in range(3)}
    tried = [(name, Breaking(at_connect=data)) for name, data in {**AT_CONNECT, **noise}.items()]
    tried += [(name, Breaking(after=data)) for name, data in AFTER.items()]
    rows = await asyncio.gather(*(attacked(arena, limit, number, *one) for number, one in enumerate(tried)))
    for row in rows:
        arena.row(*row)


async def attacked(arena, limit, number, name, broker):
    async with limit:
        victim = Victim(arena, f"broker-{number}", store=["batch_seconds = 0"], home_assistant=["enabled = false"])
        victim.broker = broker
        async with victim:
            began, memory = time.monotonic(), 0
            while time.monotonic() < began + SECONDS and victim.is_alive:
                with contextlib.suppress(OSError, IndexError):
                    memory = max(memory, resident(victim.agent.process.pid))
                await asyncio.sleep(0.1)
            status = await victim.agent.stop() if victim.is_alive else victim.agent.process.returncode
            count = len(exported(victim))
    return (
        "BROKERS",
        f"a broker: {name}",
        f"the agent goes on and records; {MEMORY} MiB, 40 connections",
        f"exit status {status}, {broker.connections} connections, {count} samples, {memory:.0f} MiB",
        status == 0 and count >= 4 and memory < MEMORY and broker.connections <= 40,
    )
