# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Sends frames as a node does, without a request: frames.py INTERFACE.

321 has a number that grows with each frame, little endian, in its second and third byte. 18FEF100 has a page from 0 to 3 in
its first byte, and a signed number, big endian, in the next two.
"""
import socket
import struct
import sys
import time

with socket.socket(socket.PF_CAN, socket.SOCK_RAW, socket.CAN_RAW) as bus:
    bus.bind((sys.argv[1],))

    def send(identifier, data):
        try:
            bus.send(struct.pack('=IB3x8s', identifier, 8, data.ljust(8, b'\xff')))
        except OSError:
            # The queue is full: the frame is lost, as one of a node that gives up.
            pass

    count = 0
    while True:
        count += 1
        send(0x321, b'\0' + struct.pack('<H', count & 0xFFFF))
        if count % 5 == 0:
            page = count // 5 % 4
            send(0x18FEF100 | socket.CAN_EFF_FLAG, bytes([page]) + struct.pack('>h', (count * 7 + page) % 30000 - 15000))
        time.sleep(0.02)
