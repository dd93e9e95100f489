# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""docs/contract: the AsyncAPI document, the JSON Schemas and the README's table of topics."""

import json
import pathlib
import re

import jsonschema
import yaml

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/contract"


def references(node, place=""):
    """Every $ref below a node, and where it stands."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name == "$ref":
                yield place, value
            else:
                yield from references(value, f"{place}/{name}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from references(value, f"{place}/{index}")


class Contract:
    def __init__(self, folder=FOLDER):
        self.folder = folder
        self.api = yaml.safe_load((folder / "asyncapi.yaml").read_text())
        self.schemas = {path.name: json.loads(path.read_text()) for path in sorted(folder.glob("*.schema.json"))}

    def resolve(self, reference, file="asyncapi.yaml"):
        """What a $ref names, and the file that it is in."""
        name, _, pointer = reference.partition("#")
        file = name or file
        node = self.api if file == "asyncapi.yaml" else self.schemas[file]
        for part in pointer.split("/")[1:]:
            node = node[part.replace("~1", "/").replace("~0", "~")]
        return node, file

    def validator(self, file):
        resolver = jsonschema.RefResolver(base_uri=file, referrer=self.schemas[file], store=self.schemas)
        return jsonschema.Draft202012Validator(self.schemas[file], resolver=resolver)

    def messages(self, channel):
        return [self.resolve(message["$ref"])[0] for message in self.api["channels"][channel]["messages"].values()]

    def schema(self, message):
        """The file of a message's schema; nothing where it stands in the document itself."""
        return message["payload"].get("schema", {}).get("$ref")

    def binding(self, channel):
        """QoS, and whether it is retained."""
        mine = [one for one in self.api["operations"].values() if one["channel"]["$ref"] == f"#/channels/{channel}"]
        assert len(mine) == 1, f"{channel} has {len(mine)} operations"
        return mine[0]["bindings"]["mqtt"]["qos"], mine[0]["bindings"]["mqtt"]["retain"]

    def channel(self, topic):
        """The one channel that a topic is in; nothing for none."""
        many = {"prefix": ".+?", "requester": ".+"}
        found = []
        for name, channel in self.api["channels"].items():
            pattern = re.sub(r"\\\{(\w+)\\\}", lambda part: many.get(part[1], "[^/]+"), re.escape(channel["address"]))
            if re.fullmatch(pattern, topic):
                found.append(name)
        # What a requester is called may look like anything below it.
        return next(iter(sorted(found, key=lambda name: "requester" in self.api["channels"][name]["address"])), None)

    def table(self):
        """The README's table of topics: path to QoS and whether it is retained."""
        text = (self.folder / "README.md").read_text()
        rows = re.search(r"\| topic \| QoS, retained \| payload \|\n\| --- .*\n((?:\|.*\n)+)", text)[1].splitlines()
        result = {}
        for row in rows:
            topic, terms = (cell.strip() for cell in row.split("|")[1:3])
            qos, retained = (word.strip() for word in terms.split(",")[:2])
            result[topic.strip("`")] = int(qos), {"yes": True, "no": False, "never retained": False}[retained]
        return result
