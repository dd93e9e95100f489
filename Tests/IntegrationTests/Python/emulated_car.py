# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""Runs ELM327-emulator until it is killed, its log on standard output; "ADAPTER <address>" says that it is ready."""
import argparse
import json
import os
import pathlib
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("--scenario", default="car")
parser.add_argument("--port", type=int, help="listen here on 127.0.0.1; without it, a pseudo terminal is opened")
parser.add_argument("--codes", default="", help="what follows 43 in its replies, in bytes with commas between")
parser.add_argument("--standing", action="store_true", help="engine speed and vehicle speed are 0")
parser.add_argument("--list", action="store_true", help="only tell which scenarios there are")
options = parser.parse_args()

if options.list:
    from elm import obd_message

    # "AT" holds the adapter's own commands.
    print("\n".join(name for name in obd_message.ObdMessage if name != "AT"))
    raise SystemExit

log = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(message)s"}},
    "handlers": {"output": {"class": "logging.StreamHandler", "formatter": "plain", "stream": "ext://sys.stdout"}},
    "root": {"level": "DEBUG", "handlers": ["output"]},
}
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "log.yaml")
    # JSON is YAML.
    path.write_text(json.dumps(log))
    os.environ["ELM_LOG_CFG"] = str(path)
    from elm import Elm
    from elm import obd_message

    # It answers with a VIN of several by chance; a vehicle has one.
    for messages in obd_message.ObdMessage.values():
        vin = messages.get("VIN", {})
        if isinstance(vin.get("Response"), list):
            vin["Response"] = vin["Response"][0]
    # Its own lists lack the count that ISO 15765-4 puts before the codes: whoever wants it passes it as the first byte.
    obd_message.DTC_STORED[:] = [byte for byte in options.codes.split(",") if byte]
    with Elm(batch_mode=True, net_port=options.port) as emulator:
        while emulator.threadState != emulator.THREAD.ACTIVE:
            time.sleep(0.01)
        emulator.set_sorted_obd_msg(options.scenario)
        if options.standing:
            for name, data in [("RPM", "41 0C 00 00"), ("SPEED", "41 0D 00")]:
                size = "%02X" % len(data.split())
                emulator.answer[name] = obd_message.HD("7E8") + obd_message.SZ(size) + obd_message.DT(data)
        address = f"tcp:127.0.0.1:{options.port}" if options.port else f"serial:{emulator.get_pty()}"
        print(f"ADAPTER {address}", flush=True)
        emulator.thread.join()
