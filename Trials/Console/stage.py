# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The programs around the console: Mosquitto, which serves it too, simulated vehicles, and agents."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

from crowd import packet, words

SEARCH = os.environ["PATH"] + ":/usr/local/sbin:/usr/sbin"
COMMANDS = [
    "describe", "read_codes", "read_parameters", "read_monitors", "read_vehicle", "select_parameters", "record_finding", "clear_codes", "wake",
    "capture", "boost", "resend",
]
PARAMETERS = {
    "engine_speed": 0.5, "vehicle_speed": 0.5, "engine_load": 1, "coolant_temperature": 2, "control_module_voltage": 2, "fuel_level": 5,
    "mass_air_flow": 1,
}


def until(condition, what, seconds=30):
    """What the condition gives as soon as it gives something."""
    deadline = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.05)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Stage:
    """Everything between a vehicle and the one who looks at it; what was started ends with it."""

    def __init__(self, binary, page=None):
        self.binary = binary
        # The two programs in the same folder.
        self.simulator = pathlib.Path(binary).with_name("obd-simulator")
        self.remote = pathlib.Path(binary).with_name("obd-remote")
        self.page = page
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="console-"))
        self.programs = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for program in reversed(self.programs):
            program.terminate()
        for program in self.programs:
            try:
                program.wait(10)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
        shutil.rmtree(self.directory)

    def start(self, name, *words):
        log = self.directory / f"{name}.log"
        with log.open("wb") as output:
            program = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
        self.programs.append(program)
        return program, log

    def broker(self, name="broker", password=None, more=()):
        """A broker that serves the page beside its WebSocket listener, with more lines; the ports of MQTT and of HTTP."""
        for _ in range(10):
            ports = free_port(), free_port()
            # Somebody else may have been faster.
            if self.broker_at(name, ports, password, more):
                return ports
        raise RuntimeError((self.directory / f"{name}.log").read_text())

    def broker_at(self, name, ports, password=None, more=()):
        """The same at these ports; the program, or nothing where it does not start."""
        lines = [f"listener {ports[0]} 127.0.0.1", f"listener {ports[1]} 127.0.0.1", "socket_domain ipv4", "protocol websockets", "persistence false", *more]
        if self.page:
            lines.append(f"http_dir {self.page}")
        if password:
            passwords = self.directory / f"{name}.passwords"
            passwords.touch(0o600)
            subprocess.run(["mosquitto_passwd", "-b", passwords, "anna", password], check=True)
            lines += ["allow_anonymous false", f"password_file {passwords}"]
        else:
            lines.append("allow_anonymous true")
        if os.geteuid() == 0:
            # It would become another user, who can't read these files.
            lines.append("user root")
        configuration = self.directory / f"{name}.conf"
        configuration.write_text("\n".join(lines) + "\n")
        program, log = self.start(name, shutil.which("mosquitto", path=SEARCH), "-c", configuration)
        until(lambda: program.poll() is not None or "running" in log.read_text(), "the broker")
        return program if program.poll() is None else None

    def sample(self, samples, name, password):
        """The broker of etc/mosquitto with its console, as far as the paths allow; the port of HTTP."""
        here = self.directory / "sample"
        (here / "certs").mkdir(parents=True)
        shutil.copy(samples / "acl", here)
        for file in ("broker", "vehicles-ca"):
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                 "/CN=localhost", "-keyout", here / f"certs/{file}.key", "-out", here / f"certs/{file}.pem"], check=True, capture_output=True)
        (here / "passwords").touch(0o600)
        subprocess.run(["mosquitto_passwd", "-b", here / "passwords", name, password], check=True)
        text = (samples / "mosquitto.conf").read_text() + (samples / "console.conf").read_text()
        port = free_port()
        for old, new in {
            "/etc/mosquitto": str(here), "/var/lib/mosquitto/": f"{here}/", "/usr/share/obd-agent/console": str(self.page),
            "listener 8883": f"listener {free_port()} 127.0.0.1", "listener 8884": f"listener {free_port()} 127.0.0.1",
            "listener 8080 127.0.0.1": f"listener {port} 127.0.0.1", "log_dest syslog": "log_dest stderr",
        }.items():
            assert old in text, old
            text = text.replace(old, new)
        (here / "mosquitto.conf").write_text(text + ("user root\n" if os.geteuid() == 0 else ""))
        program, log = self.start("sample-broker", shutil.which("mosquitto", path=SEARCH), "-c", here / "mosquitto.conf")
        until(lambda: program.poll() is not None or answers(port), "the broker")
        assert program.poll() is None, log.read_text()
        return port

    def at_home(self, document, name, password):
        """The broker as the document has it for a home; the port of HTTP."""
        text = "".join(line.lstrip() for line in document.read_text().split("<<'END'\n")[1].split("END\n")[0].splitlines(True))
        ports = free_port(), free_port()
        passwords = self.directory / "home.passwords"
        passwords.touch(0o600)
        subprocess.run(["mosquitto_passwd", "-b", passwords, name, password], check=True)
        for old, new in {
            "listener 1883": f"listener {ports[0]} 127.0.0.1", "listener 8080": f"listener {ports[1]} 127.0.0.1\nsocket_domain ipv4",
            "/usr/share/obd-agent/console": str(self.page), "/etc/mosquitto/passwords": str(passwords),
        }.items():
            assert old in text, old
            text = text.replace(old, new)
        configuration = self.directory / "home.conf"
        configuration.write_text(text + ("user root\n" if os.geteuid() == 0 else ""))
        program, log = self.start("home", shutil.which("mosquitto", path=SEARCH), "-c", configuration)
        until(lambda: program.poll() is not None or answers(ports[1]), "the broker")
        assert program.poll() is None, log.read_text()
        return ports[1]

    def web_server(self, sample, port):
        """The web server of etc/nginx in front of a console, as far as the paths allow; the port of HTTPS."""
        here = self.directory / "sample"
        (here / "nginx").mkdir()
        secure = free_port()
        text = sample.read_text()
        for old, new in {
            "listen 443 ssl": f"listen 127.0.0.1:{secure} ssl", "/etc/mosquitto": str(here), "127.0.0.1:8080": f"127.0.0.1:{port}",
            "broker.example;": "localhost;", "https://broker.example\"": f"https://localhost:{secure}\"",
            "/usr/share/obd-agent/console": str(self.page),
        }.items():
            assert old in text, old
            text = text.replace(old, new)
        folders = "".join(f"{name}_temp_path {here}/nginx;" for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
        user = "user root;" if os.geteuid() == 0 else ""
        (here / "nginx.conf").write_text(
            f"{user} daemon off; pid {here}/nginx.pid; error_log stderr; events {{}} http {{ include /etc/nginx/mime.types; access_log off; {folders} {text} }}\n")
        program, log = self.start("nginx", shutil.which("nginx", path=SEARCH), "-p", here, "-c", here / "nginx.conf", "-e", "stderr")
        until(lambda: program.poll() is not None or answers(secure), "the web server")
        assert program.poll() is None, log.read_text()
        return secure

    def vehicle(self, name, port, *options, role="specialist", keys=None, uplink=(), parks_after=86400, overlay=""):
        """An agent in a simulated vehicle, with more TOML that counts; its words, it and the vehicle's program."""
        car, log = self.start(f"{name}-vehicle", self.simulator, "--tcp", "127.0.0.1:0", *options)
        address = until(lambda: car.poll() is not None or "Adapter" in log.read_text(), "the vehicle") and next(
            line.split()[1] for line in log.read_text().splitlines() if line.startswith("Adapter"))
        state = self.directory / f"{name}-state"
        state.mkdir()
        lines = [
            "[vehicle]", f'name = "{name}"', "[adapter]", f'address = "{address}"', "[mqtt]", f'url = "mqtt://127.0.0.1:{port}"',
            "[parameters]", *[f"{key} = {value}" for key, value in PARAMETERS.items()],
            "[commands]", f"allow = {json.dumps(COMMANDS)}", f'unsigned_role = "{role}"', *([f'trusted_keys = "{keys}"'] if keys else []),
            "[parking]", f"after_seconds = {parks_after}", "minimum_voltage = 0", 'quiet = ""', "[uplink]", *uplink, "[clock]", 'trust = "system"', "[store]", f'directory = "{state}"',
        ]
        configuration = self.directory / f"{name}.toml"
        configuration.write_text("\n".join(lines) + "\n")
        if overlay:
            configuration.with_suffix(".toml.d").mkdir()
            (configuration.with_suffix(".toml.d") / "overlay.toml").write_text(overlay)
        words = [self.binary, "run", "--config", configuration]
        return words, self.start(f"{name}-agent", *words)[0], car

    def key(self, role="specialist"):
        """A key of that role: the file of the private one, and of the set that agents trust."""
        private = self.directory / "anna.jwk"
        words = [self.remote, "key", private, "--name", "anna-2026", "--issuer", "anna@garage.example", "--role", role]
        public = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        trusted = self.directory / "trusted.json"
        trusted.write_text(f'{{"keys": [{public}]}}')
        return private, trusted

    def publish(self, port, topic, payload, is_retained=True):
        """Says something, as anybody may who is let to."""
        text = payload if isinstance(payload, str) else json.dumps(payload)
        retained = ["-r"] if is_retained else []
        subprocess.run(["mosquitto_pub", "-h", "127.0.0.1", "-p", str(port), "-q", "1", *retained, "-t", topic, "-m", text], check=True)

    def publish_all(self, port, messages):
        """Publishes retained messages, pairs of topic and payload, over one connection (MQTT 3.1.1, QoS 0)."""
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection, connection.makefile("rb") as answers_:
            connection.sendall(packet(0x10, words("MQTT") + bytes([4, 2, 0, 60]) + words("crowd")))
            assert answers_.read(4) == bytes([0x20, 2, 0, 0])
            for topic, payload in messages:
                text = payload if isinstance(payload, str) else json.dumps(payload)
                connection.sendall(packet(0x31, words(topic) + text.encode()))
            # The broker answers this after it has read all of them.
            connection.sendall(bytes([0xC0, 0]))
            assert answers_.read(2) == bytes([0xD0, 0])

    def hear(self, port, topic, act, wanted=lambda _: True, seconds=30):
        """The first wanted message that comes on a topic when something is done."""
        words = ["stdbuf", "-oL", "mosquitto_sub", "-d", "-h", "127.0.0.1", "-p", str(port), "-q", "1", "-t", topic, "-W", str(seconds), "-F", "=%p"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as program:
            for line in program.stdout:
                if "Subscribed" in line:
                    act()
                if line.startswith("={") and wanted(json.loads(line[1:])):
                    program.terminate()
                    return json.loads(line[1:])
        raise TimeoutError(topic)
