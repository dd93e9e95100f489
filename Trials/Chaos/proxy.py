# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Stands between agent and broker: forwards, tells the witness, and breaks the network when it is told to."""

import asyncio
import contextlib
import socket
import struct
import time

import mqtt


class Proxy:
    def __init__(self, port, witness, pair=None):
        self.port = port
        self.witness = witness
        # What a connection is, which forwards in both directions.
        self.pair = pair or Pair
        self.pairs = set()
        # The time of the last connection.
        self.connected = time.monotonic()
        # What is set goes on; what is not waits, and the other side knows of nothing.
        self.up = asyncio.Event()
        self.down = asyncio.Event()
        self.up.set()
        self.down.set()

    async def start(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        return self.server.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        try:
            broker = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            reset(writer)
            return
        self.connected = time.monotonic()
        pair = self.pair(self)
        tasks = [
            asyncio.create_task(pair.forward(reader, broker[1], self.up, pair.sent)),
            asyncio.create_task(pair.forward(broker[0], writer, self.down, pair.answered)),
        ]
        self.pairs.add(entry := (tuple(tasks), writer, broker[1]))
        try:
            # A run that ends for a failure cancels it, and has said why.
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.pairs.discard(entry)
            for end in (writer, broker[1]):
                end.close()

    def cut(self):
        """Resets all connections: what was on its way is lost."""
        for tasks, *writers in list(self.pairs):
            for task in tasks:
                task.cancel()
            for writer in writers:
                reset(writer)

    def quiet(self):
        """For how many seconds a connection has stood on which no record came; 0 without a connection.

        After several failures the agent waits for half a minute before it connects again.
        """
        return time.monotonic() - max(self.connected, self.witness.heard) if self.pairs else 0


class Pair:
    """One connection of the agent's, and its counterpart to the broker."""

    def __init__(self, proxy):
        self.witness = proxy.witness
        self.level = 5
        self.flying = {}

    async def forward(self, reader, writer, gate, look):
        packets = mqtt.Packets()
        while data := await reader.read(65536):
            for kind, flags, body, whole in packets.feed(data):
                # Only whole packets pass, and what passes is witnessed: a cut is between them, or within one for good.
                await gate.wait()
                look(kind, flags, body)
                writer.write(whole)
            await writer.drain()

    def sent(self, kind, flags, body):
        if kind == mqtt.CONNECT:
            self.level = mqtt.version(body)
        elif kind == mqtt.DISCONNECT:
            self.witness.goodbyes += 1
        elif kind == mqtt.PUBLISH:
            topic, identifier, payload = mqtt.publish(flags, body, self.level)
            record = self.witness.publish(topic, payload)
            if record and identifier:
                self.flying[identifier] = record

    def answered(self, kind, flags, body):
        if kind == mqtt.PUBACK and (record := self.flying.pop(mqtt.acknowledges(body), None)):
            record.acknowledged = True


def reset(writer):
    """Closes with a reset instead of a goodbye."""
    end = writer.get_extra_info("socket")
    if end:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
