# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The scenario of a truck (SAE J1939) on a CAN interface. truck.py is the truck, and what it has sent is the truth, as in
canbus.py."""
import contextlib
import json
import os
import re
import time

import canbus
import scenarios as lab
from canbus import BUS, VIN, dump, judged, must, samples, told, unit
from scenarios import Failure, run, scenario, wait
from service import drop_in, expect, no_drop_ins

CODES = {'SPN110-FMI0', 'SPN3226-FMI4', 'SPN100-FMI1'}
NAMES = ('engine_speed', 'vehicle_speed', 'coolant_temperature')
PARAMETERS = ('[parking]\nafter_seconds = 30\nlook_seconds = 10\nquiet = ""\n[commands]\nunsigned_role = "specialist"\n'
              '[parameters]\n' + ''.join(f'{name} = 2\n' for name in NAMES))


def truck(*words):
    return canbus.control('/run/lab-truck.sock', *words)


@contextlib.contextmanager
def road():
    """The bus with the truck, the drop-in of the page, and the agent stopped."""
    lab.stop()
    must('modprobe', '--all', 'can-raw', 'can-isotp')
    canbus.make_bus()
    drop_in('can.conf')
    try:
        with unit('lab-truck', 'python3', '-B', '/lab/truck.py', BUS), contextlib.ExitStack() as stack:
            wait('the truck', lambda: os.path.exists('/run/lab-truck.sock'), 30)
            stack.callback(lab.stop)
            yield
    finally:
        run('ip', 'link', 'delete', BUS)
        if os.path.exists('/run/lab-truck.sock'):
            os.remove('/run/lab-truck.sock')
        no_drop_ins()


def enough(since, count, limit=180):
    """Waits until each parameter has that many samples since then; returns how many of them all were true."""
    def look():
        time.sleep(0.5)
        seen = [name for kind, name, *_ in samples(since) if kind == 'sample']
        return all(seen.count(name) >= count for name in NAMES)
    try:
        wait(f'{count} samples of each parameter', look, limit)
    except Failure as failure:
        last = [f'{s["link"]}: {s.get("problem")}' for _, s in lab.broker.status()[-1:]]
        raise Failure(f'{failure}: {judged(since)}; status: {last}; {truck("status")}') from failure
    return judged(since)


def first_value(began, limit=40):
    wait('a value', lambda: [1 for kind, *_ in samples(began) if kind == 'value'], limit)
    return min(when for when, topic, payload in list(lab.broker.messages)
               if when >= began and topic.startswith('parameters/')) - began


def ours(frames, since=0.0):
    """The frames from the address of a diagnostic tool."""
    return [frame for frame in frames.frames(since) if re.match(r'[0-9A-F]{6}F9$', frame[1])]


@scenario('CAN: a truck (SAE J1939), which is heard, asked for what it does not send, and left alone when it sleeps')
def can_truck():
    results = []
    with road(), dump() as frames:
        start = time.time()
        began = lab.start(f'can:{BUS}', PARAMETERS, adapter='protocol = "j1939"')
        took = first_value(began)
        # Groups that a truck does not have cost the first minute: each is listened for, and then requested.
        results.append(f'samples {told(enough(began, 10))}')
        wait('the codes', lambda: canbus.codes(began) == CODES, 60)
        found = wait('the vehicle', lambda: [json.loads(p) for _, p in lab.broker.since(began, 'vehicle') if p], 10)[-1]
        expect(f'the vehicle is {found}', found['vin'] == VIN and found['dialect'] == 'j1939'
               and found['protocol'] == 'SAE J1939' and sorted(ecu['ecu'] for ecu in found['ecus']) == ['00', '03'])
        response = canbus.command('read_codes')
        expect(f'read_codes: {response}', response['state'] == 'succeeded')
        others = [frame for frame in ours(frames, start) if not frame[1].startswith('18EAFF')]
        expect(f'frames that are no requests: {others[:3]}', not others)
        asked = {frame[2] for frame in ours(frames, start)}
        expect(f'asked for what is broadcast: {asked}', not asked & {'04F000', 'F1FE00', 'EEFE00'})
        results.append(f'{len(ours(frames, start))} frames of ours')

        truck('lose', 0.1)
        truck('double', 0.1)
        with canbus.background():
            since = time.monotonic()
            results.append(f'lost and doubled frames at 80 % load: samples {told(enough(since, 10))}')
            wrong = [json.loads(p) for _, p in lab.broker.since(since, 'codes') if p]
            expect(f'codes: {wrong}', all({c['code'] for c in message['codes']} == CODES for message in wrong))
        truck('lose', 0)
        truck('double', 0)

        truck('awake', 'off')
        asleep = time.time()
        wait('status "parked"', lambda: [1 for _, s in lab.broker.status(time.monotonic() - 90) if s.get('parked')], 150)
        time.sleep(30)
        late = max((frame[0] - asleep for frame in ours(frames, asleep)), default=0)
        expect(f'a frame of ours {late:.1f} s after the bus fell asleep', late < 1.3)
        truck('awake', 'on')
        woken = time.monotonic()
        results.append(f'awake again: {first_value(woken, 60):.1f} s')
        # Found without the configuration's help, and without a question.
        lab.stop()
        start, began = time.time(), lab.start(f'can:{BUS}', PARAMETERS)
        results.append(f'by protocol = "auto": {first_value(began, 60):.1f} s')
        enough(began, 5)
    return took, '; '.join(results)
