#!/usr/bin/python3 -B
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Holds the contract and what others do with it against real agents, in simulated vehicles, and a real broker.

Usage: contract_test.py PROGRAM [TEST ...]
"""

import datetime
import json
import pathlib
import sys
import unittest
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Trials/Console"))

import jsonschema

from dashboards import Dashboards
from document import Contract
from examples import Examples
from members import Members
from observer import Observer
from receiver import Receiver
from scenarios import CHARGE, NEVER, PERHAPS, Scenarios
from stage import Stage, until

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
BUTTONS = '\n[commands]\nbuttons = ["read_codes"]\n'
# The topics that the agent empties itself.
EMPTIED = ("parameter", "parameterOfECU", "position", "trip")


def command(identity, name, **arguments):
    now = datetime.datetime.now(datetime.timezone.utc)
    end = now + datetime.timedelta(minutes=2)
    return {"id": identity, "command": name, "arguments": arguments, "issued_at": now.isoformat(), "expires_at": end.isoformat()}


class ContractTests(Dashboards, Examples, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.contract = Contract()
        cls.stage = Stage(PROGRAM)
        cls.addClassCleanup(cls.stage.__exit__)
        cls.port, _ = cls.stage.broker()
        cls.observer = Observer(cls.port)
        cls.addClassCleanup(cls.observer.close)
        cls.stage.vehicle("plain", cls.port, "--trip", "600", "--codes", "P0301", overlay=Receiver().overlay() + BUTTONS)
        cls.program = PROGRAM
        # A charge by a name of its own, and a trip that ends with the odometer.
        cls.stage.vehicle("electric", cls.port, "--vehicle", "electric", "--seed", "24", "--trip", "600", overlay=CHARGE)
        odometer = "[parameters]\nodometer = 1\n"
        cls.stage.vehicle("errand", cls.port, "--seed", "27", "--trip", "45", "--pause", "1", "--parking", "3600", overlay=odometer)
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
        self.observer.press("obd/plain/commands/read_codes", "ON")
        until(lambda: self.observer.answer(lambda identity: (identity or "").startswith("button-")), "the press")
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

if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
