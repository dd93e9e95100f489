#!/usr/bin/env -S python3 -B
# SPDX-FileCopyrightText: The obd-agent project
# SPDX-License-Identifier: Apache-2.0
"""A fleet of simulated vehicles at real brokers: counts every record of every vehicle, and what all of it takes.

load: many vehicles at one Mosquitto. failover: two Mosquittos, which are killed in turn. cluster: two nodes of ejabberd, one
of which is killed.
"""

import argparse
import pathlib
import resource
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Chaos"))

import cluster
import failover
import load
from programs import run_to_the_end

RUNS = {"load": (load.run, 1000, 300), "failover": (failover.run, 200, 120), "cluster": (cluster.run, 200, 120)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("run", choices=RUNS, help="load, failover or cluster")
    parser.add_argument("--vehicles", type=int)
    parser.add_argument("--seconds", type=float, help="how long, once all vehicles are online")
    parser.add_argument("--sample", default="agent", choices=["agent", "fleet"], help="which file of etc/obd-agent they have")
    parser.add_argument("--every", type=float, help="read the eight parameters of the default every so many seconds")
    parser.add_argument("--keep", help="a new directory for the logs, which stays")
    chosen = parser.parse_args()
    run, vehicles, seconds = RUNS[chosen.run]
    chosen.vehicles = chosen.vehicles or vehicles
    chosen.seconds = chosen.seconds or seconds
    # Mosquitto takes the limit as it finds it, a descriptor for each vehicle.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    run_to_the_end("fleet", run, chosen, "it may be the machine: try VEHICLES=100")


main()
