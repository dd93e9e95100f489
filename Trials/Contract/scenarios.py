# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Vehicles, agents and commands that have everything said that the contract allows to be left out."""

import datetime
import itertools
import json
import resource
import sqlite3
import subprocess
import threading
import time

from receiver import Receiver
from stage import free_port, until

# What a run can't show, and who does. What is seen all the same must go from here.
NEVER = {
    "status: adapter.rssi": "takes a radio: Trials/Lab shows it over Bluetooth LE, AgentTests without",
    "status: adapter.can": "takes a CAN interface: Trials/Lab has one, AgentTests without",
    **{f"status: adapter.can.{name}": "takes a CAN interface: Trials/Lab has one, AgentTests without"
       for name in ("bit_rate", "state", "transmit_errors", "receive_errors")},
    "status: battery.trend": "takes six hours of parking: SessionTests let them pass in virtual time",
    "status: shutting_down": "would switch this machine off: SimulationTests have one of their own",
    "vehicle: ecus[].vin": "takes an ECU out of another vehicle, and the simulated ones are of one: AgentTests",
    "trip: trip.codes_appeared": "no simulated vehicle gets a code while it drives: DriveTests",
    "capture: code": "no simulated vehicle gets a code while it drives: SimulationTests",
    "capture: ecu": "no simulated vehicle gets a code while it drives: SimulationTests",
    "capture: thinned": "takes more readings than a simulated vehicle answers in a minute and a half: DriveTests",
    "event: version": "takes an upgrade that fails: Trials/Upgrade; AgentTests have the event",
    "event: failed_version": "takes an upgrade that fails: Trials/Upgrade; AgentTests have the event",
    "common: exchange.answers.*.truncated": "takes 16 KiB of answers, and no simulated ECU has so much to say: CommandsTests",
}
# What is shown where this machine's kernel tells it.
# Codes that are cleared while the engine runs go in a trip, if the next reading comes before its end.
PERHAPS = {"status: machine", "trip: trip.codes_gone"} | {
    f"status: machine.{name}" for name in ("cpu_temperature", "under_voltage", "throttling", "throttling_since_boot")
}
# The values of an electric car's charge, as Hyundai and Kia have them.
CHARGE = "[parking]\ncharging_seconds = 10\n" + "".join(
    f'[custom.{name}]\nheader = "7E4"\nrequest = "220101"\nformula = "{formula}"\nrole = "{role}"\ninterval = 1\n{more}'
    for name, formula, role, more in (
        ("charge", "E / 2", "state_of_charge", 'unit = "%"\ntitle = "Charge"\n'), ("charging", "J.7", "charging", ""),
        ("energy", "uint32(AO, AP, AQ, AR) / 10", "charged_energy", 'unit = "kWh"\n'),
    ))
ALLOWED = (
    '"describe", "read_codes", "read_parameters", "read_monitors", "read_vehicle", "select_parameters", "boost", "record_finding", '
    '"clear_codes", "wake", "run_test", "raw_request", "capture"'
)
# A capture as soon as the vehicle moves.
MOVING = '[capture.moving]\nwhen = "vehicle_speed > 10"\nafter = 2\n'

# Derived parameters, with and without a unit and assumptions, and limits: one is never known.
COMPUTED = (
    '[parameters]\nfuel_consumption = 1\noverall_gear_ratio = 1\nhalf = 1\n[derived.half]\nformula = "engine_load * 0.5"\n'
    '[limit.moving]\nwhen = "vehicle_speed > 10"\nclear = 5\n[limit.unknown]\nwhen = "state_of_charge < 15"\n'
)


class Scenarios:
    def __init__(self, stage, port, observer):
        self.stage, self.port, self.observer = stage, port, observer
        self.key, self.trusted = stage.key("engineer")
        self.remotes = []
        commands = f"[commands]\nallow = [{ALLOWED}]\nraw_writing = true\nengine_override = true\n"
        signed = {"role": "none", "keys": self.trusted, "overlay": commands}
        stands = ["--trip", "1", "--pause", "3600"]
        vehicle = stage.vehicle
        vehicle("standing", port, *stands, "--seed", "11", "--codes", "P0301", "--obeys-control", **signed)
        vehicle("idling", port, "--seed", "12", "--trip", "60", "--pause", "1", "--clears-running", "--codes", "P0301", **signed)
        vehicle("stubborn", port, *stands, "--seed", "13", "--codes", "P0301", "--keeps-codes", "engine", **signed)
        vehicle("uds", port, "--seed", "14", "--dialect", "uds", "--codes", "P0301-1F", "--severity", "44", overlay='[commands]\nallow = ["resend"]\n')
        vehicle("truck", port, "--seed", "15", "--protocol", "j1939", "--codes", "SPN110-FMI0")
        vehicle("old", port, *stands, "--seed", "16", "--protocol", "kwp-fast", **signed)
        # The battery of one seems to be low, and the starter of the other to turn now and then.
        resting = "[parking]\nlook_seconds = 10\nminimum_voltage = {}\n"
        vehicle("resting", port, *stands, "--seed", "17", parks_after=30, overlay=resting.format(15))
        vehicle("starting", port, *stands, "--seed", "20", "--quirk", "45", parks_after=30, overlay=resting.format(0))
        labelled = '[parameters]\n"0103" = 1\n"011C" = 1\n[uplink]\ndaily_budget_mib = 5\n'
        vehicle("labelled", port, "--seed", "18", overlay=labelled)
        # A vehicle with computed consumption, whose limit is exceeded by each drive and cleared by each stop.
        vehicle("computing", port, "--seed", "28", "--trip", "60", "--pause", "1", overlay=COMPUTED)
        _, _, self.cut = vehicle("cut", port, *stands, "--seed", "21", **signed)
        # An electric car that is charged again and again, and one that shows nothing of its drive.
        electric = ["--vehicle", "electric", "--trip", "1", "--pause", "1"]
        vehicle("charged", port, *electric, "--seed", "24", "--charge", "30", overlay=CHARGE)
        vehicle("bare", port, *electric, "--seed", "25", "--charge", "3600")
        # A vehicle whose model is found by its answers, so that its agent polls the set of this model.
        detection = f'[parameters]\nsets = "detect"\ncatalog = "{self.catalog()}"\n'
        vehicle("detected", port, "--vin", "KNDSMVLA7R4700893", "--seed", "29", "--trip", "600", overlay=detection)
        # This one is not what its agent looks for, and another is not what it was.
        vehicle("stranger", port, *stands, "--seed", "22", overlay='[vehicle]\nexpected_vin = "1HGCM82633A004352"\n')
        # A hybrid on a long trip, and a vehicle that is parked after a short one.
        vehicle("touring", port, "--vehicle", "hybrid", "--seed", "26", "--trip", "600", overlay="[trips]\nover_speed = 20\n" + MOVING)
        vehicle("delivering", port, "--seed", "27", "--trip", "45", "--pause", "1", "--parking", "3600")
        # A vehicle that comes home, and whose track ends with its agent.
        at_home = Receiver(zone_after=20).overlay(zone=True)
        _, self.placed, _ = vehicle("placed", port, "--seed", "26", "--trip", "600", overlay=at_home)
        self.move("moved")
        self.fill("full")
        self.seal("sealed")

    def catalog(self):
        """A folder with the signal set of one model, whose requests every simulated engine answers."""
        folder = self.stage.directory / "signals"
        folder.mkdir()
        commands = [
            {"hdr": "7E0", "rax": "7E8", "cmd": {"01": pid}, "freq": 5, "signals": [
                {"id": f"ENGINE_{pid}", "fmt": {"len": 8, "max": 255, "unit": "scalar"}}]}
            for pid in ("04", "05", "0C", "0D")
        ]
        (folder / "Kia-Trial.json").write_text(json.dumps({"commands": commands}))
        return folder

    def seal(self, name):
        """An agent whose files can't grow from some time on."""
        words, agent, _ = self.stage.vehicle(name, self.port, "--seed", "19")
        end(agent)
        self.sealed, _ = self.stage.start(f"{name}-again", "env", "--ignore-signal=XFSZ", *words)

    def move(self, name):
        """An agent whose adapter is in another vehicle when it is started again."""
        words, agent, _ = self.stage.vehicle(name, self.port, "--seed", "23")
        until(lambda: self.told(name, "vehicle"), name, 60)
        end(agent)
        car, log = self.stage.start(f"{name}-other", self.stage.simulator, "--tcp", "127.0.0.1:0", "--vin", "1HGCM82633A004352")
        address = until(lambda: "Adapter" in log.read_text(), "the other vehicle") and next(
            line.split()[1] for line in log.read_text().splitlines() if line.startswith("Adapter"))
        (self.stage.directory / f"{name}.toml.d").mkdir()
        (self.stage.directory / f"{name}.toml.d/z.toml").write_text(f'[adapter]\naddress = "{address}"\n')
        self.stage.start(f"{name}-again", *words)

    def fill(self, name):
        """An agent that finds more in its database than it may have."""
        nowhere = f'[adapter]\naddress = "tcp:127.0.0.1:{free_port()}"\n'
        words, agent, _ = self.stage.vehicle(name, free_port(), overlay=f"{nowhere}[store]\nlimit_mib = 1\nkeep_days = 0\n")
        file = self.stage.directory / f"{name}-state/obd-agent.db"
        until(lambda: self.count(file, "boots"), "the database")
        end(agent)
        with sqlite3.connect(file) as database:
            epoch = database.execute("SELECT value FROM meta WHERE name = 'epoch'").fetchone()[0]
            database.execute("INSERT INTO boots (boot, started, trusted) VALUES ('before', ?, 1)", (1_790_000_000_000,))
            boot = database.execute("SELECT id FROM boots WHERE boot = 'before'").fetchone()[0]
            first = max(epoch << 30, database.execute("SELECT coalesce(max(id), 0) FROM telemetry").fetchone()[0])
            series = {"engine_speed": {"ecu": "7E8", "scale": 0.25, "dt": [480] * 99, "dv": [3250] + [4, -4] * 49}}
            body = json.dumps({"series": series, "v": 1}, separators=(",", ":")).encode()
            rows = [(first + number, boot, number * 1000, name, body) for number in range(1, 4000)]
            database.executemany("INSERT INTO telemetry (id, boot, at, vehicle, body, precious) VALUES (?, ?, ?, ?, ?, 0)", rows)
        database.close()
        # It makes room with the first that it writes, which is that it has started.
        (self.stage.directory / f"{name}.toml.d/z.toml").write_text(
            f'[mqtt]\nurl = "mqtt://127.0.0.1:{self.port}"\n[store]\nbatch_seconds = 0\n')
        self.stage.start(f"{name}-again", *words)

    def count(self, file, table):
        try:
            database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
            try:
                return database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            finally:
                database.close()
        except sqlite3.OperationalError:
            return 0

    def remote(self, vehicle, *words):
        """A signed command, with our own tool."""
        program = [self.stage.remote, words[0], "--broker", f"mqtt://127.0.0.1:{self.port}", "--vehicle", vehicle]
        program += ["--signing-key", self.key, "--timeout", "60s", "--json", *words[1:]]
        done = subprocess.run(program, capture_output=True, text=True, timeout=90, stdin=subprocess.DEVNULL)
        self.remotes.append((vehicle, words, done.returncode, done.stdout[-500:] + done.stderr[-500:]))
        return done.returncode

    def resend(self, vehicle):
        """Asks for the first batches again, and for the rest of an epoch that never was."""
        topic = f"obd/{vehicle}/telemetry"
        until(lambda: self.told(vehicle, "telemetry"), topic, 60)
        epoch = json.loads(next(one for one in list(self.observer.messages) if one.topic == topic).payload)["epoch"]
        now = datetime.datetime.now(datetime.timezone.utc)
        times = {"issued_at": now.isoformat(), "expires_at": (now + datetime.timedelta(minutes=2)).isoformat()}
        for identity, numbers in ("again-1", {"epoch": epoch, "from": 1}), ("again-2", {"epoch": 0, "from": 7, "to": 9}):
            order = {"id": identity, "command": "resend", "arguments": {"stream": "telemetry", **numbers}, **times}
            self.observer.publish(f"obd/{vehicle}/commands", order)
            answer = until(lambda: self.observer.answer(identity), identity)
            assert answer["state"] == "succeeded", answer
        assert answer["result"]["missing"] == [[7, 9]], answer
        again = [("again", "1")]
        until(lambda: any(getattr(one.properties, "UserProperty", None) == again for one in list(self.observer.messages) if one.topic == topic),
              "a record again")

    def spend(self, vehicle):
        """Asks without a key until the agent has no room for the answers, and says for how long."""
        program = [self.stage.remote, "vehicle", "--broker", f"mqtt://127.0.0.1:{self.port}", "--vehicle", vehicle]
        for _ in range(30):
            if any(b'"retry_after"' in one.payload for one in list(self.observer.messages) if one.topic == f"obd/{vehicle}/responses"):
                break
            subprocess.run([*program, "--timeout", "2s"], capture_output=True, timeout=30, stdin=subprocess.DEVNULL)

    def told(self, vehicle, path, since=0):
        """Whether the vehicle has told something there."""
        return any(one.topic == f"obd/{vehicle}/{path}" and one.payload for one in itertools.islice(self.observer.messages, since, None))

    def act(self):
        for name in ("standing", "idling", "stubborn", "old", "labelled", "sealed", "cut"):
            until(lambda: self.told(name, "vehicle"), name, 60)
        resource.prlimit(self.sealed.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
        until(lambda: self.told("placed", "position"), "a position", 60)
        until(lambda: any(b"withheld" in one.payload for one in list(self.observer.messages) if one.topic == "obd/placed/position"), "a zone", 60)
        end(self.placed)
        self.remote("standing", "describe")
        self.remote("standing", "monitors")
        self.remote("old", "monitors")
        self.remote("standing", "test", "01")
        self.remote("standing", "raw", "0902", "22F190", "--ecu", "7E0")
        self.remote("standing", "raw", "0100", "--ecu", "7E5")
        self.remote("standing", "raw", "2F010203", "--ecu", "7E0")
        self.remote("standing", "finding", "A finding.", "--codes", "P0301")
        self.remote("standing", "capture", "--after", "1")
        self.remote("standing", "capture", "--rule", "lamp", "--on", "mil_on", "--for", "60s")
        self.resend("uds")
        self.spend("labelled")
        self.remote("stubborn", "clear", "--yes", "--all")
        self.remote("standing", "clear", "--yes", "--all")
        self.interrupt()
        # It moves for forty seconds of each minute.
        for _ in range(40):
            if self.remote("idling", "clear", "--yes", "--all", "--override-engine") == 0:
                break
            time.sleep(2)
        # A trip that goes on counts in the totals once it is on the disk, and they come with its next message.
        until(lambda: any("energy" in content["totals"] for content in self.trips()), "the energy of all trips", 150)

    def trips(self):
        return [json.loads(one.payload) for one in list(self.observer.messages) if one.topic.endswith("/trip") and one.payload]

    def interrupt(self):
        """Lets a vehicle go while it is asked for something to which nobody answers."""
        asking = threading.Thread(target=self.remote, args=("cut", "raw", *["0100"] * 32, "--ecu", "7E5"))
        asking.start()
        until(lambda: any(b"raw_request" in one.payload for one in list(self.observer.messages) if one.topic == "obd/cut/events"), "a request")
        self.cut.terminate()
        asking.join()


def end(program):
    program.terminate()
    program.wait()
