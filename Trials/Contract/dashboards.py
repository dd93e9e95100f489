# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Telegraf and the dashboards of Grafana, and the table of COVESA's signals: what they name is in the contract.

The SQL of the dashboard runs in a PostgreSQL that `obd-remote collect` has filled. Grafana, Telegraf and InfluxDB are not
in Debian, so nothing of them runs here.
"""

import asyncio
import contextlib
import csv
import json
import pathlib
import re
import subprocess
import sys
import tomllib

from stage import until

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "etc/examples"
sys.path.append(str(ROOT / "Trials/Collect"))

from collector import Collector
from postgres import Postgres
from programs import Died

# What Telegraf warns of.
DEPRECATED = {"fieldpass", "fielddrop", "pass", "drop", "ssl_ca", "ssl_cert", "ssl_key"}
# One of a unit of the contract, in a unit of VSS.
CONVERSIONS = {
    ("%", "percent"): 1, ("°C", "celsius"): 1, ("°", "degrees"): 1, ("L/h", "l/h"): 1, ("L/100 km", "l/100km"): 1, ("ratio", "ratio"): 1,
    ("ratio", ""): 1, ("count", ""): 1, ("kPa", "Pa"): 1000, ("mA", "A"): 0.001, ("s", "h"): 1 / 3600,
}


class Dashboards:
    """Tests of a class that has contract, observer, port, program and stage, and the vehicles plain and errand."""

    def board(self, name):
        board = json.loads((EXAMPLES / name).read_text())
        self.assertEqual(len({panel["id"] for panel in board["panels"]}), len(board["panels"]))
        # A warm engine, a full tank and a charged battery are no reason to worry.
        for title, value in {"Coolant": 90, "Fuel level": 100, "Supply": 14.2, "Trouble codes": 0}.items():
            (panel,) = (one for one in board["panels"] if one["title"] == title)
            steps = panel["fieldConfig"]["defaults"]["thresholds"]["steps"]
            self.assertEqual([step["color"] for step in steps if step["value"] is None or step["value"] <= value][-1], "green", title)
        return board

    def parameters(self):
        words = [self.program, "parameters", "list", "--json"]
        listed = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
        return {one["name"]: one["unit"] or "" for one in listed}

    def flat(self, schema, file, prefix=""):
        """The names that Telegraf gives to the members of an object: those of inner objects behind those of the outer."""
        while "$ref" in schema:
            schema, file = self.contract.resolve(schema["$ref"], file)
        if not schema.get("properties"):
            return {prefix}
        return set().union(*(
            self.flat(member, file, f"{prefix}_{name}" if prefix else name) for name, member in schema["properties"].items()))

    def test_examples_for_telegraf_and_influxdb(self):
        telegraf = tomllib.loads((EXAMPLES / "telegraf.conf").read_text())
        consumers = telegraf["inputs"]["mqtt_consumer"]
        self.assertEqual(len({consumer["client_id"] for consumer in consumers}), len(consumers))
        measurements = {}
        for consumer in consumers:
            self.assertEqual(consumer.keys() & DEPRECATED, set())
            self.assertTrue(all(url.startswith("ssl://") for url in consumer["servers"]) and consumer["tls_ca"])
            (topic,) = consumer["topics"]
            file = self.contract.schema(self.contract.messages(self.contract.channel(topic.replace("+", "x")))[0])
            names = self.flat(self.contract.schemas[file], file)
            (parsing,) = consumer["topic_parsing"]
            self.assertEqual(parsing["topic"], topic)
            tags = [tag for tag, level in zip(parsing["tags"].split("/"), topic.split("/"), strict=False) if tag != "_"]
            if consumer["data_format"] == "json":
                kept = consumer.get("fieldinclude", [])
                used = {*consumer.get("tag_keys", []), *consumer.get("json_string_fields", []), *kept, consumer["json_time_key"]}
                measurement, fields = consumer["name_override"], {*(kept or names), *consumer.get("tag_keys", [])}
            else:
                (parser,) = consumer["json_v2"]
                used = {field["path"].removesuffix(".#") for field in parser["field"]} | {parser["timestamp_path"]}
                measurement, fields = parser["measurement_name"], {field.get("rename", field["path"]) for field in parser["field"]}
            self.assertEqual(used - names, set(), topic)
            measurements[measurement] = {*tags, *fields}
        board, listed = self.board("grafana-influxdb.json"), self.parameters()
        for target in (target for panel in board["panels"] for target in panel["targets"]):
            query = target["query"]
            members = measurements[re.search(r'_measurement == "(\w+)"', query)[1]]
            self.assertIn(re.search(r'_field == "(\w+)"', query)[1], members)
            for column in re.findall(r"r\.([a-z]\w*) ==", query):
                self.assertIn(column, members)
            for parameter in re.findall(r'r\.parameter == "(\w+)"', query):
                self.assertIn(parameter, listed)
            self.assertIn(f'bucket: "{telegraf["outputs"]["influxdb_v2"][0]["bucket"]}"', query)

    def test_example_for_grafana_over_postgresql(self):
        """Each query of the dashboard finds what the vehicles have said."""
        database = Postgres(self.stage.directory, self.stage.directory / "database")
        asyncio.run(database.create())
        self.addCleanup(database.kill)
        collector = Collector(self.program, self.stage.directory, "dashboard", self.port, database.url())
        self.addCleanup(collector.kill)
        collector.start()
        board, listed = self.board("grafana-postgresql.json"), self.parameters()

        def rows(query, vehicle):
            query = re.sub(r"\$__timeGroupAlias\((\w+), \$__interval\)", r"date_bin('1 minute', \1, 'epoch') AS time", query)
            query = re.sub(r"\$__timeFilter\((\w+)\)", r"\1 BETWEEN now() - interval '1 hour' AND now()", query)
            return asyncio.run(database.ask(query.replace("${vehicle:sqlstring}", f"'{vehicle}'")))

        def is_filled():
            # The collector has the schema to make first.
            with contextlib.suppress(Died):
                return ["plain"] in rows(variable, "plain")

        (variable,) = (one["query"] for one in board["templating"]["list"] if one["type"] == "query")
        until(is_filled, "the vehicles", 60)
        for panel in board["panels"]:
            (target,) = panel["targets"]
            query = target["rawSql"]
            for parameter in re.findall(r"parameter = '(\w+)'", query):
                self.assertIn(parameter, listed)
            vehicle = "errand" if panel["title"] == "Trips" else "plain"
            if panel["title"] in ("Way", "Events"):
                # Only executed: a part of the track comes after 15 minutes, and the events came before the collector.
                rows(query, vehicle)
                continue
            until(lambda: rows(query, vehicle), f"{panel['title']}: {query}", 120)
        (codes,) = (panel["targets"][0]["rawSql"] for panel in board["panels"] if panel["title"] == "Trouble codes")
        self.assertEqual(rows(codes, "plain")[0][:2], ["1", "all lists read"])

    def test_signals_of_covesa(self):
        """Each row of vss.csv names a parameter, once, with its unit and the factor between both units."""
        with (ROOT / "docs/contract/vss.csv").open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len({row["parameter"] for row in rows}), len(rows))
        listed = self.parameters()
        for row in rows:
            self.assertEqual(listed.get(row["parameter"]), row["unit"], row)
            self.assertRegex(row["path"], r"^Vehicle(\.[A-Z]\w*)+$")
            self.assertIn(row["datatype"], ("float", "uint8", "uint16"))
            units = row["unit"], row["vss_unit"]
            factor = 1 if units[0] == units[1] else CONVERSIONS[units]
            self.assertAlmostEqual(float(row["factor"]) / factor, 1, 9, row)
