#!/usr/bin/env -S python3 -B
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""What `obd-remote collect` can take, with the broker and PostgreSQL on the same machine; every sample counted.

limit: ready-made telemetry as fast as it goes, beside a program that does the least. shared: three collectors, one of which
is killed. day: a thousand simulated vehicles.
"""

import argparse
import os
import pathlib
import resource
import sys

for neighbour in ("Chaos", "Fleet"):
    sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / neighbour))

import day
import limit
import bench
import shared
from programs import run_to_the_end

RUNS = {"limit": limit.run, "shared": shared.run, "day": day.run}


async def run(options, directory):
    postgres = bench.server(directory)
    try:
        await postgres.create()
        ((version,),) = await postgres.ask("SHOW server_version")
        # A row of docs/reference/fleet.md each.
        table = {"machine": f"{os.cpu_count()} cores, PostgreSQL {version}"}
        results = [await RUNS[name](options, directory, postgres, table) for name in options.runs or RUNS]
        print("\n| `obd-remote collect` | |\n| --- | --- |")
        for what, figures in table.items():
            print(f"| {what} | {figures} |", flush=True)
        return all(results)
    finally:
        postgres.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary", help="obd-agent; beside it the other programs, and generator and floor")
    parser.add_argument("--runs", nargs="*", choices=RUNS, help="limit, shared, day; all of them unless told")
    parser.add_argument("--records", type=int, default=60_000, help="records of 80 samples at the limit")
    parser.add_argument("--steady", type=float, default=30, help="seconds at a steady rate")
    parser.add_argument("--vehicles", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--sample", default="agent", choices=["agent", "fleet"], help="which file of etc/obd-agent the vehicles have")
    parser.add_argument("--every", type=float, default=5, help="read the eight parameters of the default every so many seconds")
    parser.add_argument("--keep", help="a new directory for the logs, which stays")
    chosen = parser.parse_args()
    # Mosquitto takes the limit as it finds it, a descriptor for each vehicle.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    run_to_the_end("collect-scale", run, chosen, "it may be the machine: try VEHICLES=100")


main()
