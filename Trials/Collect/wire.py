# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A network that can be cut, whatever is spoken on it: the proxy of Chaos, which does not look at what passes."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Chaos"))

from proxy import Proxy


class Wire(Proxy):
    def __init__(self, port):
        super().__init__(port, None, Bytes)


class Bytes:
    """One connection: a cut is anywhere, in the middle of a packet too."""

    def __init__(self, wire):
        self.sent = self.answered = None

    async def forward(self, reader, writer, gate, _):
        while data := await reader.read(65536):
            await gate.wait()
            writer.write(data)
            await writer.drain()
