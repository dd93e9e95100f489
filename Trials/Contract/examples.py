# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The examples of etc/examples, each against real messages of simulated vehicles."""

import contextlib
import http
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time
import tomllib

import yaml

from endpoint import Endpoint
from stage import until

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "etc/examples"


def run_javascript(code):
    words = ["node", "--input-type=module", "-e", code]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


class Examples:
    """Tests of a class that has contract, observer, port and program, and the vehicles plain, electric and errand."""

    def payload(self, topic, wanted=lambda content: True):
        """The newest payload of a topic that is wanted, once there is one."""

        def find():
            contents = [json.loads(one.payload) for one in list(self.observer.messages) if one.topic == topic and one.payload]
            return [content for content in contents if wanted(content)][-1:]

        return until(find, topic, 120)[0]

    @contextlib.contextmanager
    def example(self, name, *words, **environment):
        """A running example; its output tells what failed."""
        words = [sys.executable, "-B", EXAMPLES / name, "--port", str(self.port), *words]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ | environment) as program:
            try:
                yield program
            finally:
                program.terminate()

    def test_examples_are_installed(self):
        makefile = (ROOT / "Makefile").read_text()
        for path in EXAMPLES.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                self.assertIn(str(path.relative_to(ROOT)), makefile)

    def test_examples_of_the_command_line(self):
        text = (ROOT / "docs/tasks/use-the-data.md").read_text()
        lines = [line.split("   #")[0] for line in re.findall(r"^mosquitto_sub .*$", text, re.MULTILINE)]
        self.assertEqual(len(lines), 4)
        for line in lines:
            words = shlex.split(line.split(">>")[0].replace("broker.example", f"127.0.0.1 -p {self.port}"))
            with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as program:
                try:
                    self.assertIn("{" if "availability" not in line else "online", program.stdout.readline(), line)
                finally:
                    program.terminate()

    def test_example_in_python(self):
        with self.example("vehicle.py", "watch") as program:
            wanted = {"plain is online", "plain engine_speed "}
            for line in program.stdout:
                wanted = {one for one in wanted if not line.startswith(one)}
                if not wanted:
                    break
        self.assertEqual(wanted, set())
        words = [sys.executable, "-B", EXAMPLES / "vehicle.py", "--port", str(self.port), "codes", "plain"]
        read = subprocess.run(words, capture_output=True, text=True, timeout=90)
        self.assertEqual(read.stdout, "P0301 7E8 stored Misfire in cylinder 1\n", read.stderr)

    def test_example_for_abrp(self):
        abrp = Endpoint(lambda request: {"status": "ok"})
        self.addCleanup(abrp.close)
        with self.example("abrp.py", "--url", abrp.url, "electric", ABRP_TOKEN="token", ABRP_API_KEY="key") as program:
            until(lambda: abrp.requests or program.poll() is not None, "telemetry", 90)
            self.assertIsNone(program.poll())
        form = abrp.requests[0]["form"]
        self.assertEqual((form["token"], form["api_key"]), ("token", "key"))
        told = json.loads(form["tlm"])
        self.assertTrue(0 < told["soc"] <= 100, told)
        self.assertLess(abs(told["utc"] - time.time()), 200)
        # A key that is missing is told before anything is sent.
        words = [sys.executable, "-B", EXAMPLES / "abrp.py", "--port", str(self.port), "electric"]
        without = subprocess.run(words, capture_output=True, text=True, env=os.environ | {"ABRP_TOKEN": "token"})
        self.assertEqual((without.returncode, without.stderr), (1, "ABRP_API_KEY is missing in the environment.\n"))

    def test_example_for_traccar(self):
        traccar = Endpoint()
        self.addCleanup(traccar.close)
        with self.example("traccar.py", traccar.url):
            until(lambda: traccar.requests, "a position", 60)
        query = traccar.requests[0]["query"]
        self.assertEqual(query["id"], "plain")
        at = lambda content: f"{content['latitude']} {content['longitude']}" == f"{query['lat']} {query['lon']}"
        position = self.payload("obd/plain/position", at)
        self.assertAlmostEqual(float(query["speed"]) * 1.852, position["speed"], 1)
        self.assertLess(abs(int(query["timestamp"]) / 1000 - time.time()), 60)
        unknown = Endpoint(lambda request: http.HTTPStatus.BAD_REQUEST)
        self.addCleanup(unknown.close)
        with self.example("traccar.py", unknown.url) as program:
            self.assertIn("Add a device with the identifier plain.", program.stdout.readline())

    def test_example_for_lubelogger(self):
        records = [29000]

        def answer(request):
            if request["path"].endswith("/add"):
                records.append(int(json.loads(request["body"])["odometer"]))
                return {"success": True, "message": "Odometer Record Added"}
            return max(records)

        lubelogger = Endpoint(answer)
        self.addCleanup(lubelogger.close)
        end = self.payload("obd/errand/trip", lambda content: not content["ongoing"])["trip"]["end"]
        for _ in range(2):
            before = len(lubelogger.requests)
            with self.example("lubelogger.py", "errand", lubelogger.url, "7", LUBELOGGER_KEY="key"):
                until(lambda: len(lubelogger.requests) > before + (records[-1] == 29000), "the odometer", 60)
        # The second time it is there already.
        self.assertEqual(records, [29000, int(end["odometer"])])
        self.assertEqual({request["query"]["vehicleId"] for request in lubelogger.requests}, {"7"})
        self.assertEqual({request["headers"]["x-api-key"] for request in lubelogger.requests}, {"key"})

    def test_example_for_evcc(self):
        settings = yaml.safe_load((EXAMPLES / "evcc.yaml").read_text())
        self.assertRegex(settings["mqtt"]["broker"], "^tls://")
        (vehicle,) = settings["vehicles"]
        self.assertEqual(vehicle["type"], "custom")
        for source in (vehicle["soc"], vehicle["odometer"], vehicle["range"]):
            self.assertEqual(self.contract.channel(source["topic"]), "parameter")
            self.assertEqual(source["source"], "mqtt")
        roles = self.payload("obd/electric/vehicle", lambda content: "state_of_charge" in content["roles"])["roles"]
        reading = self.payload(f"obd/electric/parameters/{roles['state_of_charge'][0]}")
        words = ["jq", vehicle["soc"]["jq"]]
        soc = subprocess.run(words, input=json.dumps(reading), check=True, capture_output=True, text=True).stdout
        self.assertEqual(float(soc), reading["value"])

    def test_example_for_node_red(self):
        nodes = json.loads((EXAMPLES / "node-red.json").read_text())
        names = [node["id"] for node in nodes]
        self.assertEqual(len(names), len(set(names)))
        for node in nodes:
            for other in [*sum(node.get("wires", []), []), node.get("broker" if node["type"].startswith("mqtt ") else "z", names[0])]:
                self.assertIn(other, names)
            if node["type"] == "mqtt in":
                self.assertIsNotNone(self.contract.channel(node["topic"].replace("+", "x")))
        kinds = {node["type"]: node for node in nodes}
        self.assertTrue(kinds["mqtt-broker"]["usetls"] and kinds["tls-config"]["verifyservercert"])
        self.assertEqual(kinds["mqtt-broker"]["tls"], kinds["tls-config"]["id"])
        codes = {node["name"]: node["func"] for node in nodes if node["type"] == "function"}

        def call(name, message):
            return run_javascript(f"console.log(JSON.stringify(new Function('msg', {json.dumps(codes[name])})({json.dumps(message)}) ?? null))")

        order = call("a command", {"payload": "plain"})
        self.assertEqual(order["topic"], "obd/plain/commands")
        self.contract.validator("command.schema.json").validate(order["payload"])
        self.observer.publish(order["topic"], order["payload"])
        answer = until(lambda: self.observer.answer(order["payload"]["id"]), "the answer")
        topic = "obd/plain/responses"
        self.assertEqual(call("final response", {"topic": topic, "payload": answer})["payload"], "P0301 (stored)")
        for other in ({**answer, "state": "running"}, {**answer, "id": None}):
            self.assertIsNone(call("final response", {"topic": topic, "payload": other}))
        refused = {**answer, "state": "refused", "reason": "parked", "message": "The vehicle is parked.", "result": None}
        told = call("final response", {"topic": topic, "payload": refused})
        self.assertEqual((told["headers"]["Title"], told["payload"]), ("plain: codes", "refused: parked: The vehicle is parked."))
        event = self.payload("obd/errand/events", lambda content: content["event"] == "trip")
        told = call("worth a message", {"topic": "obd/errand/events", "payload": event})
        self.assertEqual(told["headers"]["Title"], "errand: trip")
        self.assertEqual(told["payload"], f"A trip of {event['trip']['distance']:.1f} km has ended.")
        known = self.contract.schemas["event.schema.json"]["properties"]["event"]["enum"]
        worth = re.findall(r"^    (\w+): \(\) =>", codes["worth a message"], re.MULTILINE)
        self.assertEqual(set(worth) - set(known), set())
        self.assertIsNone(call("worth a message", {"topic": "obd/errand/events", "payload": {**event, "event": "toString"}}))

    def test_example_for_thin_edge(self):
        flow = tomllib.loads((EXAMPLES / "thin-edge/obd-agent.toml").read_text())
        for topic in flow["input"]["mqtt"]["topics"]:
            if topic.startswith("obd/"):
                self.assertIsNotNone(self.contract.channel(topic.replace("+", "x")))
        script = EXAMPLES / "thin-edge" / flow["steps"][0]["script"]
        # Node takes a .js file without a package for an old module.
        module = "data:text/javascript," + "".join(f"%{byte:02x}" for byte in script.read_bytes())

        def steps(*messages):
            """What the flow says to each message, one after the other."""
            return run_javascript(f"""
                const {{ onMessage }} = await import({json.dumps(module)});
                const kept = new Map();
                const script = {{ get: (key) => kept.get(key) ?? null, set: (key, value) => kept.set(key, value) }};
                const answers = {json.dumps(messages)}.map((message) => onMessage(message, {{ script }}));
                console.log(JSON.stringify(answers));""")

        def message(topic, content):
            return {"topic": topic, "payload": content if isinstance(content, str) else json.dumps(content)}

        vehicle = message("obd/plain/vehicle", self.payload("obd/plain/vehicle"))
        record = self.payload("obd/plain/telemetry", lambda content: content["series"])
        codes = self.payload("obd/plain/codes", lambda content: content["known"] and content["codes"])
        ((child,), measurements, (alarm,)) = steps(vehicle, message("obd/plain/telemetry", record), message("obd/plain/codes", codes))
        self.assertEqual((child["topic"], json.loads(child["payload"])["@type"]), ("te/device/plain//", "child-device"))
        values = [json.loads(one["payload"]) for one in measurements]
        self.assertEqual({one["topic"] for one in measurements}, {"te/device/plain///m/obd"})
        self.assertEqual([one["time"] for one in values], sorted({one["time"] for one in values}))
        self.assertEqual(sum(len(one) - 1 for one in values), sum(len(part["dt"]) for part in record["series"].values()))
        name, part = next(iter(record["series"].items()))
        last = [one[name.replace("/", "_")] for one in values if name.replace("/", "_") in one][-1]
        self.assertAlmostEqual(last, sum(part["dv"]) * part["scale"], 6)
        self.assertEqual((alarm["topic"], alarm["mqtt"]["retain"]), ("te/device/plain///a/P0301", True))
        # The code goes; unread lists and another's alarm clear nothing; an alarm of before a restart is cleared.
        none = message("obd/plain/codes", {**codes, "codes": []})
        unread = message("obd/plain/codes", {**codes, "codes": [], "known": False})
        echoed = message(alarm["topic"], alarm["payload"])
        foreign = message("te/device/plain///a/disk_full", alarm["payload"])
        gone = {"topic": alarm["topic"], "payload": "", "mqtt": {"retain": True, "qos": 1}}
        self.assertEqual(steps(echoed, unread, none)[1:], [[], [gone]])
        self.assertEqual(steps(none, foreign, echoed), [[], [], [gone]])
