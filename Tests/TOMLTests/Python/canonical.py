# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Reads texts, each as hexadecimal digits on a line, with Python's tomllib; writes each in one line, or "invalid".

Integers of more than 64 bits are invalid, as in TOML 1.0. The test skips texts for which tomllib differs otherwise.
"""

import struct
import sys
import tomllib
import urllib.parse


def canonical(value):
    if isinstance(value, dict):
        return "{" + ",".join(sorted(f"{encoded(key)}:{canonical(item)}" for key, item in value.items())) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{encoded(value)}'"
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise ValueError
        return str(value)
    if isinstance(value, float):
        return "nan" if value != value else f"f{struct.unpack('>Q', struct.pack('>d', value))[0]:x}"
    return "moment"


def encoded(text):
    return urllib.parse.quote(text, safe="")


for line in open(sys.argv[1], encoding="ascii"):
    try:
        print(canonical(tomllib.loads(bytes.fromhex(line).decode())))
    except ValueError:  # tomllib's own, that of UTF-8, and that of days that are not
        print("invalid")
