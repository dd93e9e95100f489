# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Holds messages against docs/contract: check_contract.py SCHEMA_FOLDER MESSAGES

Each line of MESSAGES is a topic below the vehicle's, a tab, and the payload in hexadecimal. Says on standard error what
is wrong, a line each, and then exits with 1. A topic without a schema is wrong too.
"""
import json
import pathlib
import re
import sys
import zlib

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

RETAINED = [
    "availability", "status", "vehicle", "parameters", "codes", "monitors", "limits", "position", "trip", "finding",
]

KINDS = [
    (r"status", "status"),
    (r"vehicle", "vehicle"),
    (r"parameters/[a-z][a-z0-9_]*(/[0-9A-F]+)?", "parameter"),
    (r"codes", "codes"),
    (r"monitors", "monitors"),
    (r"limits", "limits"),
    (r"position", "position"),
    (r"trip", "trip"),
    (r"finding", "finding"),
    (r"telemetry(/zlib)?", "telemetry"),
    (r"events", "event"),
    (r"responses(/.+)?", "response"),
]


def validators(folder):
    schemas = {path.name: json.loads(path.read_text()) for path in folder.glob("*.schema.json")}
    registry = Registry().with_resources((name, Resource.from_contents(schema)) for name, schema in schemas.items())
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    return {name.split(".")[0]: Draft202012Validator(schema, registry=registry) for name, schema in schemas.items()}


def unique(pairs):
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key stands there twice")
    return dict(pairs)


def problems(known, topic, payload):
    if topic == "availability" and payload:
        return [] if payload in (b"online", b"offline") else ["neither online nor offline"]
    if not payload and topic.split("/")[0] in RETAINED:
        return []  # the vehicle is forgotten, or the parameter is not selected any more
    kind = next((kind for pattern, kind in KINDS if re.fullmatch(pattern, topic)), None)
    if kind is None:
        return ["no schema for this topic"]
    if topic == "telemetry/zlib":
        try:
            payload = zlib.decompress(payload)
        except zlib.error as error:
            return [f"not compressed: {error}"]
    try:
        value = json.loads(payload.decode("utf-8"), object_pairs_hook=unique)
    except ValueError as error:
        return [f"no JSON: {error}"]
    found = [f"{error.json_path}: {error.message}" for error in known[kind].iter_errors(value)]
    if not found and kind == "telemetry":
        found = [name for name, one in value["series"].items() if len(one["dt"]) != len(one["dv"])]
    return found


def main():
    known = validators(pathlib.Path(sys.argv[1]))
    failed = False
    for line in pathlib.Path(sys.argv[2]).read_text().splitlines():
        topic, payload = line.split("\t")
        payload = bytes.fromhex(payload)
        for problem in problems(known, topic, payload):
            failed = True
            print(f"{topic}: {problem[:400]} in {payload[:400]!r}", file=sys.stderr)
    sys.exit(failed)


main()
