// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Logging

@main
struct ObdAgent: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "obd-agent",
        abstract: "Reads a vehicle through an OBD-II adapter and publishes it over MQTT.",
        discussion: """
            Try it without hardware:
              obd-agent simulate --tcp 127.0.0.1:35000 --codes P0301,P0420
              obd-agent read --adapter tcp:127.0.0.1:35000
              obd-agent codes --adapter tcp:127.0.0.1:35000

            With a vehicle and a broker:
              obd-agent check --config /etc/obd-agent/agent.toml
              obd-agent run --config /etc/obd-agent/agent.toml

            Both at once, on a terminal:
              obd-agent watch

            From far away:
              obd-agent remote list --broker mqtts://broker.example

            Exit codes: 0 success, 64 wrong usage, 66 a file can't be read, 69 adapter, vehicle or broker do not answer, \
            78 the configuration is missing or wrong.
            """,
        version: AgentVersion.current,
        subcommands: [
            RunCommand.self, CheckCommand.self, ScanCommand.self, ReadCommand.self, CodesCommand.self,
            MonitorsCommand.self, VehicleCommand.self, WatchCommand.self, VehiclesCommand.self, LastCommand.self,
            FindingCommand.self, ExportCommand.self, ForgetCommand.self, ClockCommand.self,
            AdapterReportCommand.self, MeasureCommand.self, DecodeCommand.self, DiagnoseCommand.self,
            ReplayCommand.self, ParametersCommand.self, SimulateCommand.self, RemoteCommand.self,
        ]
    )

    static func main() async {
        do {
            var command = try Self.parseAsRoot()
            // Those have loggers of their own.
            if !(command is RunCommand || command is SimulateCommand) {
                LoggingSystem.bootstrap { _ in LineLogHandler() }
            }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            Self.printLines("obd-agent: \(failure)", to: Console.printError)
            Self.exit(withError: ExitCode(failure.code.rawValue))
        } catch {
            // As ArgumentParser does: help is a result, anything else an error.
            let (code, text) = (Self.exitCode(for: error), Self.fullMessage(for: error))
            if !text.isEmpty { Self.printLines(text, to: code.isSuccess ? Console.print : Console.printError) }
            Self.exit(withError: code)
        }
    }

    private static func printLines(_ text: String, to print: (String) -> Void) {
        text.split(separator: "\n", omittingEmptySubsequences: false).forEach { print(String($0)) }
    }
}
