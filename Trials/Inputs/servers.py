# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Peers that are no broker, or one that refuses: each listens on a free port and answers the first bytes."""

import contextlib
import socket
import ssl
import threading

CONNACK_OK = bytes([0x20, 3, 0, 0, 0])


def connack(code):
    """A CONNACK of MQTT 5 with this reason code."""
    return bytes([0x20, 3, 0, code, 0])


def disconnect(code):
    """A DISCONNECT of MQTT 5 with this reason code."""
    return bytes([0xE0, 1, code])


class Peer:
    """Answers each connection with the same bytes, then closes it, or waits for the client to do so."""

    def __init__(self, answer, closes=True, tls=None):
        self.answer, self.closes = answer, closes
        self.context = None
        if tls:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(*tls)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.answer_one, args=(connection,), daemon=True).start()

    def answer_one(self, connection):
        connection.settimeout(20)
        with contextlib.suppress(OSError), contextlib.closing(connection):
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            connection.recv(4096)
            connection.sendall(self.answer)
            while not self.closes and connection.recv(4096):
                pass


HTTP = Peer(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
SSH = Peer(b"SSH-2.0-OpenSSH_9.2\r\n")
SILENT = Peer(b"", closes=False)
CLOSING = Peer(b"")
REFUSING = {
    name: Peer(connack(code))
    for name, code in {
        "banned": 0x8A, "busy": 0x89, "unavailable": 0x88, "client id": 0x85, "not authorized": 0x87,
        "quota": 0x97, "moved": 0x9D, "rate": 0x9F,
    }.items()
}
TAKEN_OVER = Peer(CONNACK_OK + disconnect(0x8E), closes=False)
# A broker that hangs: it accepts the connection, and answers nothing after that.
HUNG = Peer(CONNACK_OK, closes=False)
SHUTTING_DOWN = Peer(CONNACK_OK + disconnect(0x8B), closes=False)
