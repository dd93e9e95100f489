# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The machines of the trial: brokers of every kind, a simulated vehicle, an agent with a recording."""

import contextlib
import getpass
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

import authorities

VIN = "ZZZSMVLATR4700893"


class Stage:
    """Runs everything in a folder of its own; ``close`` ends it all."""

    def __init__(self, programs):
        self.programs = {name: str(programs / name) for name in ("obd-agent", "obd-remote", "obd-simulator")}
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="obd-inputs-"))
        self.processes = []
        self.ports = {}
        self.vin = VIN
        self.certificates()
        self.broker()
        self.vehicle()

    def close(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
            process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, *words, log=None):
        output = (self.folder / log).open("wb") if log else subprocess.DEVNULL
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        self.processes.append(process)
        return process

    def certificates(self):
        authority, stranger = authorities.Authority("Inputs authority"), authorities.Authority("Another authority")
        self.files = {"ca": authority.write(self.folder / "ca.pem"), "stranger": stranger.write(self.folder / "no.pem")}
        day = authorities.DAY
        self.files["server"], self.files["server key"] = authority.issue(self.folder, "server")
        self.files["client"], self.files["client key"] = authority.issue(self.folder, "client")
        other = (authorities.x509.DNSName("broker.example"),)
        pairs = {
            "other host": authority.issue(self.folder, "other-host", names=other),
            "expired": authority.issue(self.folder, "expired", begins=-9 * day, ends=-day),
            "future": authority.issue(self.folder, "future", begins=day),
            "self-signed": authorities.self_signed(self.folder, "self-signed"),
        }
        self.pairs = pairs | {"tls": (self.files["server"], self.files["server key"])}
        self.files["foreign client"], self.files["foreign client key"] = stranger.issue(self.folder, "foreign")

    def broker(self):
        """Mosquitto with a listener of each kind."""
        passwords = self.folder / "passwords"
        subprocess.run(["mosquitto_passwd", "-b", "-c", passwords, "anna", "right"], check=True)
        rules = self.folder / "rules"
        rules.write_text("topic readwrite none/#\n\nuser anna\ntopic read none/#\n")
        (self.folder / "password").write_text("wrong\n")
        (self.folder / "right").write_text("right\n")
        # Mosquitto reads keys of this user's folder.
        lines = ["per_listener_settings true", "log_type none", f"user {getpass.getuser()}"]
        for kind in ["plain", "password", "rules", "websocket", "client", *self.pairs]:
            self.ports[kind] = free_port()
            lines.append(f"listener {self.ports[kind]} 127.0.0.1")
            lines += {
                "password": ["allow_anonymous false", f"password_file {passwords}"],
                "rules": ["allow_anonymous true", f"acl_file {rules}"],
                "websocket": ["protocol websockets", "allow_anonymous true"],
            }.get(kind, ["allow_anonymous true"])
            if kind == "client":
                lines += [f"cafile {self.files['ca']}", "require_certificate true"]
            if pair := self.pairs.get("tls" if kind == "client" else kind):
                lines += [f"certfile {pair[0]}", f"keyfile {pair[1]}"]
        (self.folder / "mosquitto.conf").write_text("\n".join(lines) + "\n")
        self.start(shutil.which("mosquitto") or "/usr/sbin/mosquitto", "-c", self.folder / "mosquitto.conf")
        wait_for(self.ports["plain"])

    def vehicle(self):
        """A vehicle whose engine runs, and an agent that has told about it."""
        self.ports["adapter"] = free_port()
        arguments = ["--tcp", f"127.0.0.1:{self.ports['adapter']}", "--codes", "P0301", "--trip", "36000"]
        self.start(self.programs["obd-simulator"], *arguments)
        wait_for(self.ports["adapter"])
        self.adapter = f"tcp:127.0.0.1:{self.ports['adapter']}"
        store = self.folder / "store"
        store.mkdir()
        (self.folder / "agent.toml").write_text(
            f'[adapter]\naddress = "{self.adapter}"\n[mqtt]\nurl = "mqtt://127.0.0.1:{self.ports["plain"]}"\n'
            f'[store]\ndirectory = "{store}"\nbatch_seconds = 1\n'
            '[clock]\ntrust = "system"\n[commands]\nallow_also = ["clear_codes"]\nunsigned_role = "specialist"\n'
        )
        self.start(self.programs["obd-agent"], "run", "-c", self.folder / "agent.toml", log="agent.log")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            done = subprocess.run(
                [self.programs["obd-remote"], "list", "--broker", self.url("plain")], capture_output=True, text=True
            )
            if VIN in done.stdout and "connected" in done.stdout:
                # The first values reach the recording.
                time.sleep(3)
                return
            time.sleep(0.5)
        raise SystemExit("the agent does not come up: " + (self.folder / "agent.log").read_text())

    def url(self, kind, scheme="mqtt"):
        return f"{scheme}://127.0.0.1:{self.ports[kind]}"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def wait_for(port):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise SystemExit(f"nothing listens on port {port}")
