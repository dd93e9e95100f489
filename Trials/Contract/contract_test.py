#!/usr/bin/python3 -B
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Holds the contract and what others do with it against real agents, in simulated vehicles, and a real broker.

Usage: contract_test.py PROGRAM [TEST ...]
"""

import datetime
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tomllib
import unittest
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Trials/Console"))

import jsonschema

from document import Contract
from members import Members
from observer import Observer
from receiver import Receiver
from scenarios import NEVER, PERHAPS, Scenarios
from stage import Stage, until

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
EXAMPLES = ROOT / "etc/examples"
# The topics that the agent empties itself.
EMPTIED = ("parameter", "parameterOfECU", "position", "trip")


def command(identity, name, **arguments):
    now = datetime.datetime.now(datetime.timezone.utc)
    end = now + datetime.timedelta(minutes=2)
    return {"id": identity, "command": name, "arguments": arguments, "issued_at": now.isoformat(), "expires_at": end.isoformat()}


class ContractTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.contract = Contract()
        cls.stage = Stage(PROGRAM)
        cls.addClassCleanup(cls.stage.__exit__)
        cls.port, _ = cls.stage.broker()
        cls.observer = Observer(cls.port)
        cls.addClassCleanup(cls.observer.close)
        cls.stage.vehicle("plain", cls.port, "--trip", "600", "--codes", "P0301", overlay=Receiver().overlay())
        cls.stage.vehicle("small", cls.port, "--seed", "2", "--trip", "600", uplink=['compression = "zlib"'])
        until(lambda: any(one.topic == "obd/plain/parameters/engine_speed" for one in cls.observer.messages), "values", 60)

    def seen(self):
        """The messages so far, by channel; nothing stands for none."""
        result = {}
        for message in list(self.observer.messages):
            result.setdefault(self.contract.channel(message.topic), []).append(message)
        return result

    def test_topics_and_messages(self):
        """Nothing is published that the contract lacks, and there is nothing in it that is never published."""
        for order, response in [
            (command("all-1", "read_codes"), "obd/plain/responses/desk"),
            (command("all-2", "record_finding", text="A finding."), None),
            (command("all-3", "select_parameters", remove=["fuel_level"]), None),
            (command("all-4", "clear_codes", confirm="all"), None),
        ]:
            self.observer.publish("obd/plain/commands", order, response)
            until(lambda: self.observer.answer(order["id"]), order["id"])
        # Numbers come in batches.
        until(lambda: self.seen().keys() >= self.contract.api["channels"].keys(), "a message in every channel", 90)
        seen = self.seen()
        self.assertEqual(seen.keys() - self.contract.api["channels"].keys(), set(), "topics that are no channel")
        for channel, messages in seen.items():
            binding = self.contract.binding(channel)
            for message in messages:
                self.check(channel, message)
                # What empties a topic must not be lost.
                is_emptied = channel in EMPTIED and not message.payload
                self.assertEqual((message.qos, bool(message.retain)), (1, True) if is_emptied else binding, message.topic)

    def test_members(self):
        """Every member that may be left out is published by some agent, or stands among those that a run can't show."""
        members = Members(self.contract)
        wanted = {name for name, is_optional in members.optional.items() if is_optional} - PERHAPS
        self.assertEqual(NEVER.keys() - wanted, set(), "listed, and no optional members")
        scenarios = Scenarios(self.stage, self.port, self.observer)
        scenarios.act()
        seen, read = set(), 0

        def missing():
            nonlocal read
            while read < len(self.observer.messages):
                seen.update(self.members(members, self.observer.messages[read]))
                read += 1
            return wanted - seen - NEVER.keys()

        try:
            until(lambda: not missing(), "every member", 120)
        except TimeoutError:
            self.fail("\n".join(["never seen, and not among those that a run can't show:", *sorted(missing()), *map(str, scenarios.remotes)]))
        self.assertEqual(NEVER.keys() & seen, set(), "seen, and listed as what a run can't show")

    def members(self, members, message):
        channel = self.contract.channel(message.topic)
        schema = channel and self.contract.schema(self.contract.messages(channel)[0])
        payload = message.payload
        if channel == "compressedTelemetry":
            payload, schema = zlib.decompress(payload), "telemetry.schema.json"
        return members.seen(json.loads(payload), schema) if schema and payload and channel != "commands" else ()

    def check(self, channel, message):
        if channel in EMPTIED and not message.payload:
            return
        payload = message.payload
        # Commands come in two forms; a signed one is no JSON.
        is_signed = channel == "commands" and not payload.startswith(b"{")
        described = self.contract.messages(channel)[is_signed]
        schema = self.contract.schema(described)
        if channel == "compressedTelemetry":
            payload, schema = zlib.decompress(payload), "telemetry.schema.json"
        if not schema:
            jsonschema.validate(payload.decode(), described["payload"])
            return
        errors = [f"{error.json_path}: {error.message}" for error in self.contract.validator(schema).iter_errors(json.loads(payload))]
        self.assertEqual(errors, [], message.topic)

    def test_a_message_that_breaks_the_contract_is_found(self):
        broken = type("Message", (), {"topic": "obd/plain/status", "payload": b'{"v": 1}'})
        with self.assertRaises(AssertionError):
            self.check("status", broken)
        self.assertIsNone(self.contract.channel("obd/plain/nonsense"))
        self.assertIsNone(self.contract.channel("obd/plain/parameters"))

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
        words = [sys.executable, EXAMPLES / "vehicle.py", "--port", str(self.port)]
        with subprocess.Popen([*words, "watch"], stdout=subprocess.PIPE, text=True) as program:
            wanted = {"plain is online", "plain engine_speed "}
            for line in program.stdout:
                wanted = {one for one in wanted if not line.startswith(one)}
                if not wanted:
                    break
            program.terminate()
        self.assertEqual(wanted, set())
        read = subprocess.run([*words, "codes", "plain"], capture_output=True, text=True, timeout=90)
        self.assertEqual(read.stdout, "P0301 7E8 stored Misfire in cylinder 1\n", read.stderr)

    def test_example_for_node_red(self):
        nodes = json.loads((EXAMPLES / "node-red.json").read_text())
        names = [node["id"] for node in nodes]
        self.assertEqual(len(names), len(set(names)))
        for node in nodes:
            for other in [*sum(node.get("wires", []), []), node.get("broker" if node["type"].startswith("mqtt ") else "z", names[0])]:
                self.assertIn(other, names)
            if node["type"] == "mqtt in":
                self.assertIsNotNone(self.contract.channel(node["topic"].replace("+", "x")))
        codes = {node["name"]: node["func"] for node in nodes if node["type"] == "function"}

        def call(name, message):
            script = f"console.log(JSON.stringify(new Function('msg', {json.dumps(codes[name])})({json.dumps(message)}) ?? null))"
            return json.loads(subprocess.run(["node", "-e", script], check=True, capture_output=True, text=True).stdout)

        order = call("a command", {"payload": "plain"})
        self.assertEqual(order["topic"], "obd/plain/commands")
        self.contract.validator("command.schema.json").validate(order["payload"])
        self.observer.publish(order["topic"], order["payload"])
        answer = until(lambda: self.observer.answer(order["payload"]["id"]), "the answer")
        self.assertEqual(call("final response", {"payload": answer})["payload"]["state"], "succeeded")
        self.assertIsNone(call("final response", {"payload": {**answer, "state": "running"}}))
        self.assertIsNone(call("final response", {"payload": {**answer, "id": None}}))
        reading = next(one for one in self.observer.messages if one.topic == "obd/plain/parameters/engine_speed" and one.payload)
        shown = call("vehicle, parameter, value", {"topic": reading.topic, "payload": json.loads(reading.payload)})["payload"]
        self.assertEqual((shown["vehicle"], shown["parameter"], shown["unit"]), ("plain", "engine_speed", "rpm"))

    def test_examples_for_telegraf_and_grafana(self):
        telegraf = tomllib.loads((EXAMPLES / "telegraf.conf").read_text())
        measurements = {}
        for consumer in telegraf["inputs"]["mqtt_consumer"]:
            for topic in consumer["topics"]:
                channel = self.contract.channel(topic.replace("+", "x"))
                members = self.contract.schemas[self.contract.schema(self.contract.messages(channel)[0])]["properties"]
                used = [*consumer.get("tag_keys", []), *consumer.get("json_string_fields", []), *consumer.get("fieldpass", []), consumer["json_time_key"]]
                self.assertEqual(set(used) - members.keys(), set())
                parsing = consumer["topic_parsing"][0]
                self.assertEqual(parsing["topic"], topic)
                tags = [tag for tag, level in zip(parsing["tags"].split("/"), topic.split("/"), strict=False) if tag != "_"]
                measurements[consumer["name_override"]] = {*tags, *members}
        board = json.loads((EXAMPLES / "grafana.json").read_text())
        self.assertEqual(len({panel["id"] for panel in board["panels"]}), len(board["panels"]))
        listed = subprocess.run([PROGRAM, "parameters", "list"], check=True, capture_output=True, text=True).stdout.split()
        for panel in board["panels"]:
            for target in panel["targets"]:
                query = target["query"]
                members = measurements[re.search(r'_measurement == "(\w+)"', query)[1]]
                self.assertIn(re.search(r'_field == "(\w+)"', query)[1], members)
                for column in re.findall(r"r\.([a-z]\w*) ==", query):
                    self.assertIn(column, members)
                for parameter in re.findall(r'r\.parameter == "(\w+)"', query):
                    self.assertIn(parameter, listed)
                self.assertIn(f'bucket: "{telegraf["outputs"]["influxdb_v2"][0]["bucket"]}"', query)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
