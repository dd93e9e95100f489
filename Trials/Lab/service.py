# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The scenarios of the package and its unit under a real systemd; go-through runs them.

The package is installed; /payload has an older and a newer one too, and a TLS certificate.
"""
import ctypes
import glob
import hashlib
import os
import re
import time

import scenarios as lab
from scenarios import Failure, run, scenario, service, wait

UNIT = 'obd-agent'
DROP_INS = f'/etc/systemd/system/{UNIT}.service.d'
CREDENTIALS = '/etc/credstore'


def show(name):
    return run('systemctl', 'show', '--value', '-p', name, UNIT)[0]


def expect(what, is_true):
    if not is_true:
        raise Failure(what)


def configure(*lines):
    """What the next start reads; without lines, no configuration at all."""
    if lines:
        lab.write(lab.CONFIGURATION, '\n'.join(lines) + '\n')
    elif os.path.exists(lab.CONFIGURATION):
        os.remove(lab.CONFIGURATION)


def journal(since):
    return run('journalctl', '-q', '-b', '-u', UNIT, '--no-pager', '-o', 'cat', '--since', f'@{since:.0f}')[0]


def drop_in(name, text=None):
    """Adds a drop-in of ours, or switches one of the package on; without both, there are none any more."""
    os.makedirs(DROP_INS, exist_ok=True)
    if text is None:
        os.symlink(f'/usr/share/obd-agent/drop-ins/{name}', f'{DROP_INS}/{name}')
    else:
        lab.write(f'{DROP_INS}/{name}', text)
    run('systemctl', 'daemon-reload')


def no_drop_ins():
    for path in glob.glob(f'{DROP_INS}/*'):
        os.remove(path)
    run('systemctl', 'daemon-reload')


def security():
    text, _ = run('systemd-analyze', 'security', '--no-pager', UNIT)
    return float(re.search(r'exposure level for \S+: ([\d.]+)', text).group(1))


def version():
    return run('dpkg-query', '--show', '--showformat', '${Version}', UNIT)[0]


def package(number):
    """The path of the package of a version, for this architecture."""
    return glob.glob(f'/payload/**/{UNIT}_{glob.escape(number)}_*.deb', recursive=True)[0]


def install(number):
    text, status = run('dpkg', '--install', package(number))
    expect(f'dpkg --install {number}: {text}', status == 0)
    return text


def left():
    """What is still called as we are, outside of what the lab has mounted and the system's own logs."""
    found = run('find', '/', '-xdev', '-name', '*obd-agent*', '-not', '-path', '/var/log/*', '-not', '-path', '/proc/*')[0]
    return [path for path in found.splitlines() if not path.startswith(('/sys', '/lab', '/payload', '/out', '/etc/apt', '/var/cache/apt'))]


@scenario('the package: enabled, not started without a configuration, verified; the figure of its sandbox')
def unconfigured():
    configure()
    service(UNIT, 'start')
    expect(f'it is {show("ActiveState")}', show('ActiveState') == 'inactive')
    expect('it is not enabled', run('systemctl', 'is-enabled', UNIT)[0] == 'enabled')
    status = run('systemctl', 'status', '--no-pager', UNIT)[0]
    expect(status, 'ConditionPathExists=/etc/obd-agent/agent.toml was not met' in status)
    text, failed = run('systemd-analyze', 'verify', '--man=no', f'{UNIT}.service')
    expect(f'verify: {text}', failed == 0)
    figure = security()
    expect(f'systemd-analyze security says {figure}', figure <= 1.5)
    return None, f'systemd-analyze security: {figure}'


@scenario('started: READY when its parts run, a sentence for people, data')
def ready():
    began = lab.start()
    took = time.monotonic() - began
    expect(f'it is {show("ActiveState")}', show('ActiveState') == 'active')
    lab.data_back(began, 30)
    wait('the sentence', lambda: show('StatusText').startswith('Reading '), 15)
    return took, show('StatusText')


@scenario('a broken configuration ends it for good, and says what to do')
def exit_78():
    lab.stop()
    since = time.time()
    configure('[mqtt]', 'urll = "mqtt://127.0.0.1"')
    run('systemctl', 'start', UNIT)
    time.sleep(7)
    told = journal(since - 1)
    expect(f'{show("ActiveState")}, {show("NRestarts")}', show('ActiveState') == 'failed' and show('ExecMainStatus') == '78')
    expect(told, 'did you mean url?' in told)
    run('systemctl', 'reset-failed', UNIT)
    return None, [line for line in told.splitlines() if 'urll' in line][0]


def seize(thread):
    """Stops one thread of the agent for ever, as nothing else in user space does (ptrace(2))."""
    pid = lab.main_pid(UNIT)
    for path in glob.glob(f'/proc/{pid}/task/*/comm'):
        with open(path) as file:
            if file.read().strip() != thread:
                continue
        libc = ctypes.CDLL(None, use_errno=True)
        libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        number = int(path.split('/')[-2])
        for request in (0x4206, 0x4207):  # PTRACE_SEIZE, PTRACE_INTERRUPT
            if libc.ptrace(request, number, None, None) != 0:
                raise Failure(f'ptrace: {os.strerror(ctypes.get_errno())}')
        return number
    raise Failure(f'no thread {thread}')


def frozen(thread, named):
    lab.stop()
    drop_in('lab.conf', '[Service]\nWatchdogSec=8\nRestartSec=1\n')
    try:
        lab.data_back(lab.start(), 40)
        count, since = int(lab.restarts()), time.time()
        began = time.monotonic()
        seize(thread)
        wait('the restart', lambda: int(lab.restarts()) > count, 60)
        took = time.monotonic() - began
        told = journal(since - 1)
        expect(told, 'Watchdog timeout' in run('journalctl', '-q', '-b', '--no-pager', '-o', 'cat', f'--since=@{since - 1:.0f}')[0])
        # With the event loop everybody's clock stands still: nobody is left to tell.
        expect(told, named is None or f'stuck parts="{named}"' in told)
        lab.data_back(time.monotonic(), 40)
        lines = [line for line in told.splitlines() if 'stuck' in line or 'atchdog' in line]
        return took, ' | '.join(lines)
    finally:
        lab.stop()
        no_drop_ins()


@scenario('a frozen store: the watchdog is not fed, systemd starts the agent again')
def frozen_store():
    return frozen('store', 'store')


@scenario('a frozen event loop, on which the session runs')
def frozen_loop():
    return frozen('event-loop', None)


@scenario('killed with SIGKILL', running=True)
def sigkill():
    count = int(lab.restarts())
    began = time.monotonic()
    service(UNIT, 'kill', '--signal=KILL')
    wait('the restart', lambda: int(lab.restarts()) > count, 20)
    return lab.data_back(began, 40), None


@scenario('reload: parameters at once, mistakes told and without effect', running=True)
def reload():
    lab.data_back(time.monotonic(), 40)
    pid, since = lab.main_pid(UNIT), time.time()
    with open(lab.CONFIGURATION) as file:
        good = file.read()
    lab.write(lab.CONFIGURATION, good + '[parameters]\nengine_speed = 0.5\n')
    began = time.monotonic()
    service(UNIT, 'reload')
    wait('the new selection', lambda: lab.broker.since(began, 'vehicle'), 20)
    took = time.monotonic() - began
    lab.write(lab.CONFIGURATION, good + 'nonsense = 1\n')
    service(UNIT, 'reload')
    wait('the mistake', lambda: 'nonsense' in journal(since - 1), 10)
    lab.data_back(time.monotonic(), 40)
    expect('another process', lab.main_pid(UNIT) == pid)
    lab.write(lab.CONFIGURATION, good)
    return took, None


@scenario('TLS, and the password and the authority as credentials that only root can read')
def credentials():
    lab.stop()
    lab.write('/etc/mosquitto/conf.d/lab.conf', 'per_listener_settings true\nlistener 1883 127.0.0.1\nallow_anonymous true\n'
              'listener 8883 127.0.0.1\ncertfile /etc/mosquitto/server.pem\nkeyfile /etc/mosquitto/server.key\n'
              'password_file /etc/mosquitto/lab.passwords\n')
    for name in ('server.pem', 'server.key'):
        run('install', '--owner=mosquitto', '--mode=600', f'/payload/{name}', '/etc/mosquitto/')
    run('mosquitto_passwd', '-b', '-c', '/etc/mosquitto/lab.passwords', 'van', 'open sesame')
    run('chown', 'mosquitto', '/etc/mosquitto/lab.passwords')
    service('mosquitto', 'restart')
    os.makedirs(CREDENTIALS, mode=0o700, exist_ok=True)
    lab.write(f'{CREDENTIALS}/obd-agent.mqtt-password', 'open sesame\n')
    os.chmod(f'{CREDENTIALS}/obd-agent.mqtt-password', 0o600)
    run('install', '--mode=600', '/payload/ca.pem', f'{CREDENTIALS}/obd-agent.mqtt-ca')
    configure('[vehicle]', 'name = "${hostname}-${machine_id}"', '[mqtt]', 'url = "mqtts://localhost:8883"', 'username = "van"',
              'password_file = "credential:mqtt-password"', 'ca_file = "credential:mqtt-ca"', '[clock]', 'trust = "system"')
    began = time.monotonic()
    service(UNIT, 'start')
    wait('the broker', lambda: 'broker connected' in show('StatusText'), 30)
    took, told = time.monotonic() - began, show('StatusText')
    lab.stop()
    return took, told


@scenario('upgrade and downgrade keep configuration and database, and the service runs after each', running=True)
def upgrade():
    lab.data_back(time.monotonic(), 40)

    def digest():
        with open(lab.CONFIGURATION, 'rb') as file:
            return hashlib.sha256(file.read()).hexdigest()
    before, epoch = digest(), os.path.getsize('/var/lib/obd-agent/obd-agent.db')
    pid = lab.main_pid(UNIT)
    told = []
    for number in (f'{version()}+lab1', '0.0.9', version()):
        began = time.monotonic()
        install(number)
        lab.data_back(began, 60)
        expect(f'{number}: the configuration has changed', digest() == before)
        expect(f'{number}: not restarted', lab.main_pid(UNIT) != pid)
        pid = lab.main_pid(UNIT)
        told.append(f'{number} {time.monotonic() - began:.1f} s')
    expect('a database was set aside', not glob.glob('/var/lib/obd-agent/*.corrupt*'))
    expect('the database has begun anew', os.path.getsize('/var/lib/obd-agent/obd-agent.db') >= epoch)
    return None, ', '.join(told)


@scenario('the drop-ins: what each costs, and that it works')
def drop_ins():
    told = []
    try:
        for name in ('rfcomm.conf', 'serial.conf', 'connection-interval.conf'):
            lab.stop()
            no_drop_ins()
            drop_in(name)
            lab.data_back(lab.start(), 60)
            told.append(f'{name} {security()}')
    finally:
        lab.stop()
        no_drop_ins()
    return None, ', '.join(told)


@scenario('a serial adapter, through the drop-in for it')
def serial():
    lab.stop()
    run('systemd-run', '-q', '--unit=lab-simulator', '-p', 'TTYPath=/dev/null', lab.SIMULATOR, '--pty', '--trip', '3600')
    try:
        def device():
            text = run('journalctl', '-q', '--no-pager', '-o', 'cat', '-b', '-u', 'lab-simulator')[0]
            found = re.search(r'/dev/pts/\d+', text)
            return found and found.group(0)
        path = wait('the simulator', device, 20)
        run('chown', 'root:dialout', path)
        run('chmod', '660', path)
        drop_in('serial.conf')
        drop_in('lab.conf', '[Service]\nDeviceAllow=char-pts rw\n')
        configure('[adapter]', f'address = "serial:{path}"', '[mqtt]', 'url = "mqtt://127.0.0.1"', '[clock]', 'trust = "system"')
        began = time.monotonic()
        service(UNIT, 'start')
        wait('data', lambda: [1 for when, s in lab.broker.status(began) if s['link'] == 'connected'], 40)
        return time.monotonic() - began, path
    finally:
        lab.stop()
        no_drop_ins()
        run('systemctl', 'stop', 'lab-simulator')


@scenario('purge leaves nothing, and what is installed afterwards begins anew')
def purge():
    number = version()
    drop_in('serial.conf')
    text, status = run('dpkg', '--purge', UNIT)
    expect(f'dpkg --purge: {text}', status == 0)
    run('systemctl', 'daemon-reload')
    expect(f'left: {left()}', not left())
    expect('the user is there', run('getent', 'passwd', UNIT)[1] != 0 and run('getent', 'group', UNIT)[1] != 0)
    expect('it runs', lab.main_pid(UNIT) == 0)
    install(number)
    took = lab.data_back(lab.start(), 60)
    lab.stop()
    return took, None


@scenario('broken upgrades by unattended-upgrades: back on the version before, nothing lost, told', running=True)
def rollback():
    number = version()
    lab.data_back(time.monotonic(), 40)
    try:
        text, status = run('/payload/upgrade/on-this-machine', package(number), limit=3000)
    finally:
        run('systemctl', 'reset-failed', UNIT)
        install(number)
    lab.write('/out/rollback.log', text)
    expect(text, status == 0)
    return None, '; '.join(' '.join(line.split()[1:]) for line in text.splitlines() if line.startswith('ok '))


SERVICE = """unconfigured ready exit-78 sigkill reload frozen-store frozen-loop drop-ins serial upgrade credentials
    purge""".split()
lab.sets['service'] = SERVICE
# The last scenario takes the controllers away. In the other sets, those that tell most in a short time.
lab.sets['long'][-1:-1] = SERVICE
lab.sets['medium'][-1:-1] = ['unconfigured', 'ready', 'frozen-store', 'upgrade', 'purge']
lab.sets['short'] += ['unconfigured', 'ready']
