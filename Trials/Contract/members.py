# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""The members of the contract's schemas that may be left out, and those that a message has."""

# Where schemas stand inside of a schema, for whatever is next to it: all of these speak of the same value.
BESIDE = ("allOf", "anyOf", "oneOf")


class Members:
    """Names a member by its schema's file and place: `codes: codes[].freeze_frame`, `common: exchange.data`."""

    def __init__(self, contract):
        self.contract = contract
        self.optional = {}
        for file, schema in contract.schemas.items():
            # Commands are sent by others.
            if file != "command.schema.json":
                self.declare(schema, file, "", set())
                for name, part in schema.get("$defs", {}).items():
                    self.declare(part, file, f"{name}.", set())

    def declare(self, schema, file, place, required):
        """Finds what is declared in one file; what it refers to is found where that stands."""
        if not isinstance(schema, dict):
            return
        required = required | set(schema.get("required", []))
        for name, part in schema.get("properties", {}).items():
            if part is False:
                continue
            member = self.name(file, place + name)
            self.optional[member] = self.optional.get(member, True) and name not in required
            self.declare(part, file, f"{place}{name}.", set())
        self.declare(schema.get("additionalProperties"), file, f"{place}*.", set())
        self.declare(schema.get("items"), file, f"{place.rstrip('.')}[].", set())
        for part in self.beside(schema):
            self.declare(part, file, place, required)

    def beside(self, schema):
        for word in BESIDE:
            yield from schema.get(word, [])
        for word in ("then", "else"):
            if word in schema:
                yield schema[word]

    def name(self, file, place):
        return f"{file.removesuffix('.schema.json')}: {place}"

    def seen(self, value, file):
        """The members that a message has, wherever they stand."""
        yield from self.follow(value, self.contract.schemas[file], file, "")

    def follow(self, value, schema, file, place):
        if not isinstance(schema, dict):
            return
        if "$ref" in schema:
            target, other = self.contract.resolve(schema["$ref"], file)
            name = schema["$ref"].partition("#")[2].split("/")
            # A part that is shared has a place of its own.
            yield from self.follow(value, target, other, self.home(name))
        if isinstance(value, dict):
            for name, part in value.items():
                if name in schema.get("properties", {}):
                    yield self.name(file, place + name)
                    yield from self.follow(part, schema["properties"][name], file, f"{place}{name}.")
                else:
                    yield from self.follow(part, schema.get("additionalProperties"), file, f"{place}*.")
        if isinstance(value, list):
            for part in value:
                yield from self.follow(part, schema.get("items"), file, f"{place.rstrip('.')}[].")
        for part in self.beside(schema):
            yield from self.follow(value, part, file, place)

    def home(self, pointer):
        """The place that a $ref's pointer names: `#/$defs/x` and `#/properties/x` are both `x`, and `#` is the whole."""
        return "".join(f"{name}." for name in pointer if name not in ("", "$defs", "properties"))
