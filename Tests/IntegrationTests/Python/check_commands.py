# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Holds commands against their schema: check_commands.py SCHEMA_FOLDER COMMAND...; prints true or false for each"""
import json
import pathlib
import sys

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

schemas = {path.name: json.loads(path.read_text()) for path in pathlib.Path(sys.argv[1]).glob("*.schema.json")}
registry = Registry().with_resources((name, Resource.from_contents(schema)) for name, schema in schemas.items())
validator = Draft202012Validator(schemas["command.schema.json"], registry=registry)
for command in sys.argv[2:]:
    print(json.dumps(validator.is_valid(json.loads(command))))
