# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Runs the Python of docs/contract/README.md on a record of telemetry: decode_telemetry.py README TOPIC PAYLOAD

The payload is in hexadecimal."""
import json
import pathlib
import re
import sys

code = re.search(r"```python\n(.*?)```", pathlib.Path(sys.argv[1]).read_text(), re.DOTALL).group(1)
names = {}
exec(code, names)
samples = names["samples"](sys.argv[2], bytes.fromhex(sys.argv[3]))
print(json.dumps([[series, ecu, time.isoformat(), value] for series, ecu, time, value in samples]))
