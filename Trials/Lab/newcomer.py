# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The scenarios of a new owner: the setup at a terminal, the room that the agent takes; go-through runs them."""
import glob
import hashlib
import os
import pty
import re
import select
import time

import scenarios as lab
from scenarios import Failure, run, scenario, service
from service import CREDENTIALS, UNIT, configure, drop_in, expect, no_drop_ins, show

PASSWORD = f'{CREDENTIALS}/obd-agent.mqtt-password'
BROKER_FILES = ('/etc/mosquitto/conf.d/obd-agent.conf', '/etc/mosquitto/obd-agent.passwords')
# What is allowed: resident memory in KiB at its highest, and the cgroup limit under which the agent must work.
PEAK_KIB, LIMIT = 32 * 1024, '32M'


class Terminal:
    """A program on a pseudo terminal, with a person before it who reads and types."""

    def __init__(self, *command):
        self.text, self.read = '', 0
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            try:
                os.execv(command[0], command)
            finally:
                os._exit(127)

    def more(self, end):
        """Reads what comes next; False when the program has ended."""
        if not select.select([self.descriptor], [], [], max(0, end - time.monotonic()))[0]:
            self.close()
            raise Failure(f'the terminal stands still: {self.text[-600:]!r}')
        try:
            data = os.read(self.descriptor, 65536)
        except OSError:     # Linux reports the end of the other side like this.
            data = b''
        self.text += data.decode(errors='replace')
        return bool(data)

    def see(self, pattern, limit=30):
        """Waits for a text that has not been seen yet."""
        end = time.monotonic() + limit
        while not (found := re.search(pattern, self.text[self.read:])):
            if not self.more(end):
                self.close()
                raise Failure(f'it ended before it showed {pattern!r}: {self.text[-600:]!r}')
        self.read += found.end()
        return found.group(0)

    def type(self, line):
        os.write(self.descriptor, f'{line}\n'.encode())

    def ends(self, limit=30):
        """Waits for the end of the program; returns its exit status."""
        end = time.monotonic() + limit
        while self.more(end):
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def close(self):
        os.close(self.descriptor)
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)


def digest():
    files = [lab.CONFIGURATION, PASSWORD, *BROKER_FILES]
    return [hashlib.sha256(open(path, 'rb').read()).hexdigest() for path in files]


def speed(name, limit):
    """Waits for an engine speed at the broker that setup made, with the password that it made."""
    with open(PASSWORD) as file:
        secret = file.read().strip()
    text, status = run('mosquitto_sub', '-u', 'obd-agent', '-P', secret, '-t', f'obd/{name}/parameters/engine_speed',
                       '-C', '1', '-W', str(limit), limit=limit + 5)
    expect(f'no value at the broker: {text}', status == 0)
    return text


@scenario('setup at a terminal, as a new owner answers it: adapter found, broker made, values; a second run changes nothing')
def setup():
    configure()
    for path in ('/etc/mosquitto/conf.d/lab.conf', PASSWORD, *BROKER_FILES):
        if os.path.exists(path):
            os.remove(path)
    service('mosquitto', 'restart')
    try:
        began = time.monotonic()
        terminal = Terminal(lab.AGENT, 'setup')
        terminal.see(r'1/5  Which adapter\?')
        terminal.type('')
        terminal.see(r'1  .*answers as an ELM327', 60)
        terminal.see(r'Enter: 1')
        terminal.type('')
        terminal.see(r'2/5  Which broker\?')
        terminal.type('local')
        terminal.see(r'3/5  ')
        terminal.type('')
        terminal.see(r'4/5  ')
        terminal.type('')
        terminal.see(r'5/5  ')
        terminal.type('van-12')
        terminal.see(r'Type yes to do this:')
        expect('something was written before the yes', not os.path.exists(lab.CONFIGURATION))
        terminal.type('yes')
        for part in ('configuration', 'credentials', 'broker', 'adapter', 'vehicle'):
            terminal.see(rf'ok +{part}', 90)
        terminal.see(r'Type yes to start the[^:]*:', 60)
        terminal.type('yes')
        terminal.see(r'The service runs', 60)
        status = terminal.ends()
        first = speed('van-12', 30)
        took = time.monotonic() - began
        expect(f'exit status {status}', status == 0)
        expect('the service is not enabled', run('systemctl', 'is-enabled', UNIT)[0] == 'enabled')
        expect('others can read the password', os.stat(PASSWORD).st_mode & 0o077 == 0)
        anonymous, refused = run('mosquitto_sub', '-t', '#', '-C', '1', '-W', '3')
        expect(f'the broker accepts anybody: {anonymous}', refused not in (0, 27))

        before = digest()
        terminal = Terminal(lab.AGENT, 'setup')
        for number in range(1, 6):
            terminal.see(rf'{number}/5  .*')
            terminal.type('')
        terminal.see(r'Nothing to change')
        terminal.see(r'Type yes to check it:')
        terminal.type('yes')
        terminal.see(r'Type yes to start the[^:]*:', 120)
        terminal.type('yes')
        terminal.see(r'The service runs', 60)
        expect('the second run failed', terminal.ends() == 0)
        expect('the second run has changed a file', digest() == before)
        speed('van-12', 60)
        expect('the second run left copies', not glob.glob(f'{lab.CONFIGURATION}.old*'))
        return took, first[:80]
    finally:
        lab.stop()
        configure()
        for path in (PASSWORD, *BROKER_FILES):
            if os.path.exists(path):
                os.remove(path)
        service('mosquitto', 'restart')
        # The subscriber of the lab was refused meanwhile.
        lab.broker.close()
        lab.broker = lab.Broker()


def memory(name):
    """A figure of /proc/meminfo, in KiB."""
    with open('/proc/meminfo') as file:
        return int(re.search(rf'^{name}: +(\d+)', file.read(), re.MULTILINE).group(1))


def peak():
    """The highest resident memory of the agent's process since its start, in KiB."""
    with open(f'/proc/{lab.main_pid(UNIT)}/status') as file:
        return int(re.search(r'^VmHWM:\s+(\d+)', file.read(), re.MULTILINE).group(1))


@scenario('the room that it takes: disk, memory at its highest without swap, and at work under a limit of 32 MiB')
def footprint():
    expect('the machine has swap', memory('SwapTotal') == 0)
    lab.data_back(lab.start(), 60)
    time.sleep(20)
    lab.data_back(time.monotonic(), 30)
    highest, now = peak(), lab.resources(UNIT)
    room = run('dpkg-query', '--show', '--showformat', '${Installed-Size}', UNIT)[0]
    told = (f'installed {int(room) / 1024:.1f} MiB, program {os.path.getsize(lab.AGENT) / 1e6:.1f} MB; resident at its highest '
            f'{highest / 1024:.1f} MiB, {now["anon"] / 1024:.1f} MiB of it its own; machine of {memory("MemTotal") / 1024:.0f} MiB, '
            f'{memory("MemAvailable") / 1024:.0f} available, no swap')
    expect(told, highest <= PEAK_KIB)
    lab.stop()
    drop_in('lab.conf', f'[Service]\nMemoryMax={LIMIT}\nMemorySwapMax=0\n')
    try:
        took = lab.data_back(lab.start(), 60)
        time.sleep(10)
        lab.data_back(time.monotonic(), 30)
        with open(f'/sys/fs/cgroup{show("ControlGroup")}/memory.events') as file:
            events = dict(line.split() for line in file)
        expect(f'under the limit of {LIMIT}: {events}', events['oom_kill'] == '0' and lab.restarts() == '0')
    finally:
        lab.stop()
        no_drop_ins()
    return took, told


lab.sets['newcomer'] = ['setup', 'footprint']
lab.sets['long'][-1:-1] = lab.sets['newcomer']
lab.sets['medium'][-1:-1] = lab.sets['newcomer']
