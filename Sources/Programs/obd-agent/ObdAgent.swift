// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine

@main
struct ObdAgent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "obd-agent",
        abstract: "Reads a vehicle through an OBD-II adapter and publishes it over MQTT.",
        discussion: """
            Try it without hardware:
              obd-simulator --tcp 127.0.0.1:35000 --codes P0301,P0420
              obd-agent read --adapter tcp:127.0.0.1:35000
              obd-agent codes --adapter tcp:127.0.0.1:35000

            With a vehicle and a broker:
              sudo obd-agent setup
              obd-agent check --config /etc/obd-agent/agent.toml
              obd-agent run --config /etc/obd-agent/agent.toml

            The vehicle live, on a terminal:
              obd-agent watch

            From another machine:
              obd-remote list --broker mqtts://broker.example

            Exit codes: 0 success, 3 the vehicle lacks the requested data, 4 not confirmed, 64 wrong usage, 65 the replay \
            differs, 66 a file cannot be read, 69 the adapter, the vehicle or the broker does not answer, 73 a file \
            cannot be created, 74 a write failed, 77 not permitted, 78 the configuration is missing or wrong.
            """,
        version: AgentVersion.current,
        subcommands: [
            SetupCommand.self, RunCommand.self, CheckCommand.self, ScanCommand.self, ReadCommand.self,
            CodesCommand.self,
            MonitorsCommand.self, VehicleCommand.self, WatchCommand.self, VehiclesCommand.self, LastCommand.self,
            FindingCommand.self, ExportCommand.self, TripsCommand.self, CapturesCommand.self, ForgetCommand.self,
            ClockCommand.self, AdapterReportCommand.self, MeasureCommand.self, DecodeCommand.self,
            DiagnoseCommand.self, ReplayCommand.self, ParametersCommand.self,
        ]
    )

    static func main() async { await Self.runProgram { $0 is RunCommand } }
}
