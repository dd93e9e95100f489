# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""An adapter that is unplugged, and plugged into another vehicle."""

import asyncio
import contextlib

from programs import free_port


class Switch:
    """Leads to one vehicle's port, or, where that is None, to none."""

    def __init__(self, target):
        self.target = target
        self.server = None
        # It must still be free when the adapter comes back.
        self.port = free_port()
        self.writers = set()
        # The bytes that the agent sent to the adapter.
        self.sent = bytearray()

    async def start(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", self.port)
        return self.port

    async def serve(self, reader, writer):
        try:
            ends = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.close()
            return
        self.writers |= {writer, ends[1]}
        with contextlib.suppress(ConnectionError):
            tasks = [
                asyncio.create_task(forward(reader, ends[1], self.sent)),
                asyncio.create_task(forward(ends[0], writer, bytearray())),
            ]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
        for end in (writer, ends[1]):
            self.writers.discard(end)
            end.close()

    async def move(self, target):
        """Unplugs the adapter, and plugs it in again where there is a vehicle."""
        self.target = target
        if self.server:
            self.server.close()
            self.server = None
        for writer in list(self.writers):
            writer.close()
        if target is not None:
            await self.start()


async def forward(reader, writer, seen):
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65536):
            seen += data
            writer.write(data)
            await writer.drain()
