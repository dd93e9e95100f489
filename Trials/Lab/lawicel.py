#!/usr/bin/env python3
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""In the guest: a serial CAN adapter (LAWICEL protocol) between the bus BUS and a new interface of the kernel's driver slcan.

Usage: lawicel.py BUS

The interface is a real one for the rest of the system: it has a bit rate, the mode listen-only, a state and error frames,
which vcan has not. The bus runs at 500,000 bit/s: an adapter that is set to another rate passes no frame, and reports damaged
ones. The control socket CONTROL takes one command per line and answers one line of JSON:
  raw TEXT    the adapter sends this line to the driver: "sb255000" is bus-off, "e1f" a damaged frame
  status      mode (closed, open, listen), rate, frames from the machine in each mode, frames to it
"""
import fcntl
import json
import os
import pty
import select
import socket
import struct
import sys
import termios
import time
import tty

CONTROL = '/run/lab-lawicel.sock'
LINE_DISCIPLINE, RATES = 17, {'S4': 125000, 'S5': 250000, 'S6': 500000, 'S8': 1000000}
BUS_RATE = 500000


class Adapter:
    def __init__(self, bus):
        self.bus = socket.socket(socket.AF_CAN, socket.SOCK_RAW, socket.CAN_RAW)
        self.bus.bind((bus,))
        self.master, self.slave = pty.openpty()
        tty.setraw(self.master)
        tty.setraw(self.slave)
        # The driver makes the interface, and keeps it as long as this descriptor is open.
        fcntl.ioctl(self.slave, termios.TIOCSETD, struct.pack('i', LINE_DISCIPLINE))
        self.mode, self.rate, self.buffer = 'closed', 0, b''
        self.counts = {'closed': 0, 'open': 0, 'listen': 0, 'received': 0, 'damaged': 0}
        self.damaged = 0.0

    def put(self, text):
        os.write(self.master, text.encode() + b'\r')

    def commands(self):
        self.buffer += os.read(self.master, 65536)
        while b'\r' in self.buffer:
            line, self.buffer = self.buffer.split(b'\r', 1)
            self.command(line.decode())

    def command(self, line):
        if line in RATES:
            self.rate = RATES[line]
        elif line[:1] in ('O', 'L', 'C'):
            self.mode = {'O': 'open', 'L': 'listen', 'C': 'closed'}[line[0]]
        elif line[:1] in ('t', 'T'):
            self.counts[self.mode] += 1
            if self.mode != 'open' or self.rate != BUS_RATE:
                return
            digits = 4 if line[0] == 't' else 9
            identifier = int(line[1:digits], 16) | (socket.CAN_EFF_FLAG if line[0] == 'T' else 0)
            data = bytes.fromhex(line[digits + 1:][:2 * int(line[digits], 16)])
            self.bus.send(struct.pack('<IB3x8s', identifier, len(data), data))

    def frame(self):
        identifier, length, data = struct.unpack('<IB3x8s', self.bus.recv(16))
        if self.mode == 'closed':
            return
        if self.rate != BUS_RATE:
            # Not each one, as an adapter that has reported an error waits for the bus to be idle.
            if time.monotonic() - self.damaged > 0.05:
                self.damaged = time.monotonic()
                self.counts['damaged'] += 1
                self.put('e1f')
            return
        self.counts['received'] += 1
        long = identifier & socket.CAN_EFF_FLAG
        head = f'T{identifier & 0x1FFFFFFF:08X}' if long else f't{identifier & 0x7FF:03X}'
        self.put(f'{head}{length}{data[:length].hex().upper()}')


def main():
    adapter = Adapter(sys.argv[1])
    if os.path.exists(CONTROL):
        os.remove(CONTROL)
    server = socket.socket(socket.AF_UNIX)
    server.bind(CONTROL)
    server.listen()
    while True:
        ready = select.select([adapter.bus, adapter.master, server], [], [])[0]
        if adapter.master in ready:
            adapter.commands()
        if adapter.bus in ready:
            adapter.frame()
        if server in ready:
            connection, _ = server.accept()
            with connection, connection.makefile('rw') as stream:
                words = stream.readline().split()
                if words[:1] == ['raw']:
                    adapter.put(words[1])
                stream.write(json.dumps({'mode': adapter.mode, 'rate': adapter.rate, **adapter.counts}) + '\n')


if __name__ == '__main__':
    main()
