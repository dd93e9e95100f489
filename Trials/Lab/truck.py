#!/usr/bin/env python3
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""In the guest: the engine and the transmission of a truck (SAE J1939), without the agent's own code. Usage: truck.py INTERFACE

Frames are made by our own hand: short groups, and long ones to all (BAM), as a request to all is answered. The speeds change
with each broadcast; every value that was sent is a line of SERVED, as ecus.py writes it.

The control socket CONTROL takes one command per line and answers one line of JSON:
  awake on|off         off: no frame at all
  broadcasts on|off    off: what is asked for alone
  lose|double SHARE    this share of the frames of long messages is lost, or sent twice
  gap SECONDS          the pause between two frames of a long message; 0.05 is the standard's least
  status               counts of requests and answers
"""
import json
import queue
import random
import socket
import struct
import sys
import threading
import time

from ecus import SERVED, serve

CONTROL = '/run/lab-truck.sock'
EFF, ALL, TESTER = socket.CAN_EFF_FLAG, 0xFF, 0xF9
REQUEST, CONTROL_GROUP, DATA_GROUP = 0xEA00, 0xEC00, 0xEB00
ENGINE, TRANSMISSION = 0x00, 0x03
VIN = b'1HGCM82633A004352'
CODES = [(110, 0, 3), (3226, 4, 1), (100, 1, 126)]


def group_bytes(group):
    return struct.pack('<I', group)[:3]


def codes(found):
    """Lamps and codes (SAE J1939-73, 5.7.1): the amber lamp and the malfunction lamp are on if there are codes."""
    data = b'\x44\xFF' if found else b'\x00\xFF'
    for number, failure, count in found:
        data += struct.pack('<HBB', number & 0xFFFF, number >> 16 << 5 | failure, count)
    return data if found else data + bytes(4) + b'\xFF\xFF'


class Truck:
    def __init__(self, interface):
        self.lock, self.counts, self.number = threading.Lock(), {}, 0
        self.awake, self.broadcasts = True, True
        self.faults = dict(lose=0.0, double=0.0, gap=0.05)
        self.served = open(SERVED, 'a', buffering=1)
        self.bus = self.socket(interface, [])
        # Requests to one of us or to all.
        self.received = self.socket(interface, [(EFF | REQUEST << 8, EFF | 0x3FF0000)])
        # A node sends one long message at a time.
        self.long = {ENGINE: threading.Lock(), TRANSMISSION: threading.Lock()}
        self.requests = queue.Queue()
        for work in (self.receive, self.answer, self.send_fast, self.send_slow):
            threading.Thread(target=work, daemon=True).start()

    @staticmethod
    def socket(interface, filters):
        bus = socket.socket(socket.AF_CAN, socket.SOCK_RAW, socket.CAN_RAW)
        packed = b''.join(struct.pack('<II', *each) for each in filters)
        bus.setsockopt(socket.SOL_CAN_RAW, socket.CAN_RAW_FILTER, packed)
        bus.bind((interface,))
        return bus

    def count(self, what):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    # Frames.

    def put(self, group, source, data, priority=6):
        if not self.awake:
            return
        if group >> 8 & 0xFF < 0xF0:
            group |= ALL
        identifier = EFF | priority << 26 | group << 8 | source
        try:
            self.bus.send(struct.pack('<IB3x8s', identifier, len(data), data))
        except OSError:
            self.count('not sent')

    def send(self, group, source, data):
        """Sends a group, in several frames if it is long (SAE J1939-21, 5.10)."""
        if len(data) <= 8:
            return self.put(group, source, data)
        parts = [data[start:start + 7].ljust(7, b'\xFF') for start in range(0, len(data), 7)]
        with self.long[source]:
            begin = b'\x20' + struct.pack('<HB', len(data), len(parts)) + b'\xFF' + group_bytes(group)
            self.put(CONTROL_GROUP, source, begin, priority=7)
            for number, part in enumerate(parts):
                time.sleep(self.faults['gap'])
                frame = bytes([number + 1]) + part
                if random.random() >= self.faults['lose']:
                    self.put(DATA_GROUP, source, frame, priority=7)
                if random.random() < self.faults['double']:
                    self.put(DATA_GROUP, source, frame, priority=7)
        return None

    # What is sent without a request.

    def note(self, pid, raw):
        with self.lock:
            self.served.write(json.dumps([time.time(), f'{ENGINE:02X}', [(pid, raw.hex())]]) + '\n')

    def send_fast(self):
        while True:
            time.sleep(0.1)
            if not (self.awake and self.broadcasts):
                continue
            self.number += 1
            speed, velocity = 800 + self.number % 900, 5 + self.number % 90
            # Known before it is on the bus, in the units of SAE J1979.
            self.note(0x0C, struct.pack('>H', speed * 4))
            self.put(0xF004, ENGINE, b'\xFF\xFF\xFF' + struct.pack('<H', speed * 8) + b'\xFF\xFF\xFF', priority=3)
            self.note(0x0D, bytes([velocity]))
            self.put(0xFEF1, ENGINE, b'\xFF' + struct.pack('<H', velocity * 256) + b'\xFF' * 5)

    def send_slow(self):
        while True:
            time.sleep(1)
            if self.awake and self.broadcasts:
                self.temperature()
                self.send(0xFECA, ENGINE, codes(CODES))
                self.send(0xFECA, TRANSMISSION, codes([]))

    def temperature(self):
        raw = bytes([60 + self.number // 10 % 90])
        self.note(0x05, raw)
        self.put(0xFEEE, ENGINE, raw + b'\xFF' * 7)

    # Requests.

    def receive(self):
        while True:
            try:
                identifier, length, data = struct.unpack('<IB3x8s', self.received.recv(16))
            except OSError:
                time.sleep(0.1)
                continue
            if identifier & 0xFF == TESTER and length == 3:
                self.count('requests')
                self.requests.put((int.from_bytes(data[:3], 'little'), identifier >> 8 & 0xFF))

    def answer(self):
        while True:
            group, destination = self.requests.get()
            if not self.awake:
                continue
            for source in (ENGINE, TRANSMISSION):
                if destination not in (ALL, source):
                    continue
                if group == 0xFEEE and source == ENGINE:
                    self.temperature()
                    continue
                data = self.data(group, source)
                if data is None:
                    # An ECU that is asked together with all others does not say that it lacks a group.
                    continue
                self.count('answered')
                self.send(group, source, data)

    @staticmethod
    def data(group, source):
        if source == TRANSMISSION:
            return {0xFECA: codes([]), 0xFEEB: b'LABGB*AT12*0117**'}.get(group)
        return {
            0xFECA: codes(CODES), 0xFECB: codes([]), 0xFECF: codes([]), 0xFD80: codes([]),
            0xFECE: bytes([len(CODES), 0, 20, 0x07, 0, 0, 0, 0]),
            0xFEEC: VIN + b'*', 0xFEEB: b'LABTR*D13-460*0042**',
        }.get(group)

    def order(self, words):
        verb, rest = words[0], words[1:]
        if verb in ('awake', 'broadcasts'):
            setattr(self, verb, rest[0] == 'on')
        elif verb in self.faults:
            self.faults[verb] = float(rest[0])
        elif verb != 'status':
            return {'error': f'unknown order {verb}'}
        with self.lock:
            return {'counts': dict(self.counts)}


if __name__ == '__main__':
    serve(CONTROL, Truck(sys.argv[1]).order)
