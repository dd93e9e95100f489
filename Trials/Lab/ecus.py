#!/usr/bin/env python3
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""In the guest: five ECUs on a CAN interface, without the agent's own code. Usage: ecus.py INTERFACE

Each ECU has a stack of ISO 15765-2: `kernel` (a socket of can-isotp), `library` (can-isotp from PyPI over python-can, in
user space), or `raw` (frames by our own hand, which can be lost, doubled and swapped). No answer of service 01 has the
values of the one before, and no two ECUs share a value; every value that was served is a line of SERVED.

The control socket CONTROL takes one command per line and answers one line of JSON:
  bits 11|29           the identifiers; both kinds of requests are received, one is answered
  stack INDEX NAME     kernel, library or raw
  awake on|off         off: no frame at all
  answers on|off       off: the cyclic frames only, as with a gateway that passes no request
  still on|off         on: no ECU has a speed of the engine or of the vehicle but 0
  codes on|off         whether ECU 0 and 1 have trouble codes
  pending COUNT GAP    so many "response pending" (7F xx 78), GAP seconds apart, before each answer of ECU 0
  late SECONDS SHARE   this share of the answers of ECU 1 comes so late
  wait SECONDS         the raw ECU's pause between the flow control and the first consecutive frame
  gap SECONDS          its pause between two consecutive frames
  lose|double|swap SHARE   this share of its consecutive frames is lost, sent twice, swapped with the next
  torn SHARE           this share of its long answers ends after the first frame, and a new one begins at once
  status               counts of requests and answers
"""
import json
import os
import queue
import random
import select
import socket
import struct
import sys
import threading
import time

CONTROL, SERVED = '/run/lab-ecus.sock', '/run/lab-served.jsonl'
EFF, MASK29 = socket.CAN_EFF_FLAG, 0x1FFFFFFF
SOL_ISOTP, OPTIONS, RECEIVE_FC = 106, 1, 2
LISTEN, PADDING, WAIT_DONE = 0x001, 0x004, 0x400

# The last byte of the address of each ECU: of 11 bits 7E0 + this, of 29 bits 18DAxxF1.
NUMBERS = [(0, 0x10), (1, 0x18), (2, 0x19), (3, 0x28), (7, 0x33)]
PIDS = [
    (0x01, 0x04, 0x05, 0x0C, 0x0D, 0x0F, 0x10, 0x11, 0x2F, 0x42, 0x46, 0x5C),
    (0x01, 0x05, 0x0C, 0x0D, 0x42),
    (0x01, 0x42, 0x5B),
    (0x01, 0x0B, 0x0F, 0x10, 0x11, 0x33, 0x42, 0x46),
    (0x01, 0x04, 0x0D, 0x2F),
]
VIN = b'1HGCM82633A004352'


def identifiers(index, bits):
    """The identifiers of requests and of answers, as the kernel has them."""
    short, long = NUMBERS[index]
    return (0x7E0 + short, 0x7E8 + short) if bits == 11 else (EFF | 0x18DA00F1 | long << 8, EFF | 0x18DAF100 | long)


def name(index, bits):
    receive = identifiers(index, bits)[1] & MASK29
    return f'{receive:03X}' if bits == 11 else f'{receive:08X}'


class Kernel:
    """A socket of can-isotp."""

    def __init__(self, interface, receive, transmit, listens=False):
        self.socket = socket.socket(socket.AF_CAN, socket.SOCK_DGRAM, socket.CAN_ISOTP)
        flags = PADDING | WAIT_DONE | (LISTEN if listens else 0)
        self.socket.setsockopt(SOL_ISOTP, OPTIONS, struct.pack('<IIBBBB', flags, 0, 0, 0, 0, 0))
        self.socket.bind((interface, receive, transmit))

    def receive(self, limit=0.3):
        if not select.select([self.socket], [], [], limit)[0]:
            return None
        return self.socket.recv(4096)

    def send(self, message):
        self.socket.send(message)

    def close(self):
        self.socket.close()


class Library:
    """can-isotp of PyPI over python-can: another implementation than the kernel's, in user space."""

    def __init__(self, interface, receive, transmit):
        import can
        import isotp
        is_long = bool(receive & EFF)
        mode = isotp.AddressingMode.Normal_29bits if is_long else isotp.AddressingMode.Normal_11bits
        filters = [{'can_id': receive & MASK29, 'can_mask': MASK29 if is_long else 0x7FF, 'extended': is_long}]
        self.bus = can.Bus(interface='socketcan', channel=interface, can_filters=filters)
        self.stack = isotp.CanStack(
            self.bus, address=isotp.Address(mode, rxid=receive & MASK29, txid=transmit & MASK29),
            params={'stmin': 0, 'blocksize': 0, 'tx_padding': 0xAA, 'blocking_send': True, 'rx_flowcontrol_timeout': 1000})
        self.stack.start()

    def receive(self, limit=0.3):
        message = self.stack.recv(block=True, timeout=limit)
        return None if message is None else bytes(message)

    def send(self, message):
        self.stack.send(message, send_timeout=3)

    def close(self):
        self.stack.stop()
        self.bus.shutdown()


class Raw:
    """ISO 15765-2 by our own hand, with the faults of `faults`."""

    def __init__(self, interface, receive, transmit, faults):
        # One thread takes requests, and another one flow control: each has a socket that gets all.
        self.socket, self.control = [self.opened(interface, receive) for _ in range(2)]
        self.transmit, self.faults = transmit, faults

    @staticmethod
    def opened(interface, receive):
        raw = socket.socket(socket.AF_CAN, socket.SOCK_RAW, socket.CAN_RAW)
        mask = EFF | socket.CAN_RTR_FLAG | (MASK29 if receive & EFF else 0x7FF)
        raw.setsockopt(socket.SOL_CAN_RAW, socket.CAN_RAW_FILTER, struct.pack('<II', receive, mask))
        raw.bind((interface,))
        return raw

    @staticmethod
    def frame(raw, limit):
        if not select.select([raw], [], [], max(0, limit))[0]:
            return None
        _, length, data = struct.unpack('<IB3x8s', raw.recv(16))
        return data[:length]

    def receive(self, limit=0.3):
        data = self.frame(self.socket, limit)
        if data and data[0] >> 4 == 0:
            return data[1:1 + data[0]]
        if data and data[0] >> 4 == 1:
            return self.long_request(data)
        return None

    def long_request(self, first):
        size, message = (first[0] & 15) << 8 | first[1], first[2:]
        # Two frames at a time, 20 ms apart, and the tester has to wait before the first.
        self.put(bytes([0x31, 0, 0]))
        time.sleep(0.05)
        while len(message) < size:
            self.put(bytes([0x30, 2, 20]))
            for _ in range(2):
                data = self.frame(self.socket, 1)
                if not data or data[0] >> 4 != 2:
                    return None
                message += data[1:]
                if len(message) >= size:
                    break
        return message[:size]

    def put(self, data):
        self.socket.send(struct.pack('<IB3x8s', self.transmit, 8, data.ljust(8, b'\xCC')))

    def send(self, message):
        if len(message) <= 7:
            return self.put(bytes([len(message)]) + message)
        first = bytes([0x10 | len(message) >> 8, len(message) & 255]) + message[:6]
        while self.frame(self.control, 0):
            pass    # of the answer before
        self.put(first)
        if random.random() < self.faults['torn']:
            # What follows must not be put together with what came before.
            self.put(first)
        if not self.flow_control():
            return None
        frames = [bytes([0x20 | (number + 1) & 15]) + message[start:start + 7]
                  for number, start in enumerate(range(6, len(message), 7))]
        time.sleep(self.faults['wait'])
        for number in range(len(frames) - 1):
            if random.random() < self.faults['swap']:
                frames[number], frames[number + 1] = frames[number + 1], frames[number]
        for frame in frames:
            if random.random() >= self.faults['lose']:
                self.put(frame)
            if random.random() < self.faults['double']:
                self.put(frame)
            time.sleep(self.faults['gap'])
        return None

    def flow_control(self):
        end = time.monotonic() + 1
        while (rest := end - time.monotonic()) > 0:
            data = self.frame(self.control, rest)
            if data and data[0] >> 4 == 3:
                return data[0] & 15 == 0
        return False

    def close(self):
        self.socket.close()
        self.control.close()


class ECU:
    def __init__(self, vehicle, index):
        self.vehicle, self.index, self.count, self.stack = vehicle, index, 0, None
        self.kind = ['kernel', 'kernel', 'kernel', 'raw', 'library'][index]
        self.requests, self.lock = queue.Queue(), threading.Lock()
        self.open()
        threading.Thread(target=self.receive, daemon=True).start()
        threading.Thread(target=self.serve, daemon=True).start()

    def open(self):
        with self.lock:
            if self.stack:
                self.stack.close()
            interface, (receive, transmit) = self.vehicle.interface, identifiers(self.index, self.vehicle.bits)
            if self.kind == 'raw':
                self.stack = Raw(interface, receive, transmit, self.vehicle.faults)
            else:
                self.stack = {'kernel': Kernel, 'library': Library}[self.kind](interface, receive, transmit)
            self.name = name(self.index, self.vehicle.bits)

    def receive(self):
        while True:
            with self.lock:
                stack = self.stack
            try:
                if (request := stack.receive()) is not None:
                    self.requests.put((request, False))
            except (OSError, ValueError):
                time.sleep(0.1)     # the interface is down, or the stack has been changed

    def serve(self):
        while True:
            request, is_functional = self.requests.get()
            if not (self.vehicle.awake and self.vehicle.answers):
                continue
            try:
                self.answer(request, is_functional)
            except Exception as error:  # noqa: BLE001 - an ECU goes on
                self.vehicle.count('failed')
                print(f'{self.name}: {request.hex()}: {error!r}', flush=True)

    def answer(self, request, is_functional):
        vehicle = self.vehicle
        served = []
        message = self.reply(request, is_functional, served)
        if message is None:
            return
        if self.index == 0:
            for _ in range(vehicle.pending):
                self.stack.send(bytes([0x7F, request[0], 0x78]))
                time.sleep(vehicle.pending_gap)
        if self.index == 1 and random.random() < vehicle.late_share:
            time.sleep(vehicle.late)
        # Known before it is on the bus.
        vehicle.note(self.name, served)
        vehicle.count('answered')
        self.stack.send(message)

    def raw(self, pid):
        """The bytes of a value, which no other ECU has and the answer before did not have."""
        index, n = self.index, self.count
        if pid in (0x0C, 0x0D) and self.vehicle.still:
            return bytes(2 if pid == 0x0C else 1)
        if pid == 0x01:
            mil = 0x80 | len(self.stored()) if self.stored() else 0
            return bytes([mil, 7, 0xE5, 0])
        if pid == 0x0C:
            return (4 * (800 + 1000 * index + n % 900)).to_bytes(2, 'big')
        if pid == 0x10:
            return (10000 * index + 100 + n % 9000).to_bytes(2, 'big')
        if pid == 0x42:
            return (11000 + 1000 * index + n % 900).to_bytes(2, 'big')
        return bytes([5 + 45 * index + n % 45])

    def stored(self):
        if not self.vehicle.codes:
            return b''
        return {0: bytes.fromhex('03010420017100130128'), 1: bytes.fromhex('0700')}.get(self.index, b'')

    def mask(self, pid, known):
        bits = sum(1 << 32 - (k - pid) for k in known if pid < k <= pid + 0x20)
        if any(k > pid + 0x20 for k in known):
            bits |= 1
        return bits

    def reply(self, request, is_functional, served):
        service, data = request[0], request[1:]
        if service == 0x01:
            self.count += 1
            out, known = b'', PIDS[self.index]
            for pid in data[:6]:
                if pid % 0x20 == 0:
                    if bits := self.mask(pid, known):
                        out += bytes([pid]) + bits.to_bytes(4, 'big')
                elif pid in known:
                    value = self.raw(pid)
                    out += bytes([pid]) + value
                    served.append((pid, value.hex()))
            return b'\x41' + out if out else self.refuse(request, is_functional, 0x12)
        if service in (0x03, 0x07, 0x0A):
            codes = self.stored() if service != 0x07 or self.index == 1 else b''
            if service == 0x0A:
                codes = b''
            return bytes([0x40 + service, len(codes) // 2]) + codes
        if service == 0x02 and len(data) == 2:
            return self.freeze_frame(request, is_functional)
        if service == 0x04:
            if not self.vehicle.still:
                return bytes([0x7F, 4, 0x22])
            self.vehicle.cleared(self.index)
            return b'\x44'
        if service == 0x09 and len(data) == 1:
            texts = {0x02: VIN, 0x04: b'LAB-CAL-%d' % self.index, 0x06: bytes([0xC0, self.index, 1, 2]),
                     0x0A: b'ECU%d' % self.index}
            if self.index != 0:
                del texts[0x02]
            if data[0] == 0:
                return b'\x49\x00' + self.mask(0, texts).to_bytes(4, 'big')
            if data[0] in texts:
                size = {0x04: 16, 0x0A: 20}.get(data[0], 0)
                return bytes([0x49, data[0], 1]) + texts[data[0]].ljust(size, b'\0')
            return self.refuse(request, is_functional, 0x12)
        if service == 0x22 and data == b'\x01\x01' and self.index in (2, 3) and not is_functional:
            self.count += 1
            charge = 2 * (20 + 40 * (self.index - 2) + self.count % 40)
            served.append((0x220101, f'{charge:02x}'))
            return b'\x62\x01\x01' + bytes(4) + bytes([charge]) + bytes([0x55]) * 54
        return self.refuse(request, is_functional, 0x11)

    def freeze_frame(self, request, is_functional):
        pid, codes = request[1], self.stored()
        if not codes:
            return bytes([0x42, 0x02, 0, 0, 0]) if pid == 2 else self.refuse(request, is_functional, 0x12)
        values = {0x02: codes[:2], 0x05: b'\x5A', 0x0C: b'\x1F\x40', 0x0D: b'\x21'}
        if pid == 0:
            return bytes([0x42, 0, 0]) + self.mask(0, values).to_bytes(4, 'big')
        return bytes([0x42, pid, 0]) + values[pid] if pid in values else self.refuse(request, is_functional, 0x12)

    @staticmethod
    def refuse(request, is_functional, code):
        # A broadcast is not answered by those that it does not concern.
        return None if is_functional else bytes([0x7F, request[0], code])


class Vehicle:
    def __init__(self, interface):
        self.interface, self.bits, self.lock, self.counts = interface, 11, threading.Lock(), {}
        self.awake, self.answers, self.still, self.codes = True, True, False, True
        self.pending, self.pending_gap, self.late, self.late_share = 0, 0.1, 0.0, 0.0
        self.faults = dict(wait=0.0, gap=0.0, lose=0.0, double=0.0, swap=0.0, torn=0.0)
        self.clears, self.served = [], open(SERVED, 'a', buffering=1)
        self.ecus = [ECU(self, index) for index in range(len(NUMBERS))]
        for address in (0x7DF, EFF | 0x18DB33F1):
            threading.Thread(target=self.broadcasts, args=(address,), daemon=True).start()
        threading.Thread(target=self.cycle, daemon=True).start()

    def count(self, what):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def note(self, ecu, served):
        if served:
            with self.lock:
                self.served.write(json.dumps([time.time(), ecu, served]) + '\n')

    def cleared(self, index):
        with self.lock:
            self.clears.append(index)
            if len(set(self.clears)) == len(self.ecus):
                self.codes = False

    def broadcasts(self, address):
        bits, stack = (29 if address & EFF else 11), None
        while True:
            try:
                # It sends nothing: "to" is an address that nobody has.
                stack = stack or Kernel(self.interface, address, 0x6FF, listens=True)
                request = stack.receive()
            except OSError:
                time.sleep(0.1)
                continue
            if request is not None and bits == self.bits:
                self.count('broadcasts')
                for ecu in self.ecus:
                    ecu.requests.put((request, True))

    def cycle(self):
        """A frame each 100 ms, as nodes send that are awake."""
        with socket.socket(socket.AF_CAN, socket.SOCK_RAW, socket.CAN_RAW) as raw:
            raw.setsockopt(socket.SOL_CAN_RAW, socket.CAN_RAW_FILTER, b'')
            raw.bind((self.interface,))
            while True:
                if self.awake:
                    try:
                        raw.send(struct.pack('<IB3x8s', 0x3B0, 8, b'\x12\x34'))
                    except OSError:
                        pass
                time.sleep(0.1)

    def order(self, words):
        verb, rest = words[0], words[1:]
        if verb in ('awake', 'answers', 'still', 'codes'):
            setattr(self, verb, rest[0] == 'on')
            if verb == 'codes':
                self.clears = []
        elif verb == 'bits':
            self.bits = int(rest[0])
            for ecu in self.ecus:
                ecu.open()
        elif verb == 'stack':
            ecu = self.ecus[int(rest[0])]
            ecu.kind = rest[1]
            ecu.open()
        elif verb == 'pending':
            self.pending, self.pending_gap = int(rest[0]), float(rest[1])
        elif verb == 'late':
            self.late, self.late_share = float(rest[0]), float(rest[1])
        elif verb in self.faults:
            self.faults[verb] = float(rest[0])
        elif verb == 'calm':
            self.pending = 0
            self.late_share = 0
            self.faults.update(dict.fromkeys(self.faults, 0.0))
        elif verb != 'status':
            return {'error': f'unknown order {verb}'}
        with self.lock:
            return {'counts': dict(self.counts), 'clears': self.clears, 'codes': self.codes, 'bits': self.bits}


def serve(path, order):
    """Answers the commands on a control socket, for ever."""
    if os.path.exists(path):
        os.remove(path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        while True:
            connection, _ = server.accept()
            with connection, connection.makefile('rw') as stream:
                for line in stream:
                    try:
                        answer = order(line.split())
                    except Exception as error:  # noqa: BLE001 - the sender is told
                        answer = {'error': repr(error)}
                    stream.write(json.dumps(answer) + '\n')
                    stream.flush()


if __name__ == '__main__':
    serve(CONTROL, Vehicle(sys.argv[1]).order)
