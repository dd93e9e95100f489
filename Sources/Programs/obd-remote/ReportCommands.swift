// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Subscriber
import Base
import ArgumentParser
import CommandLine
import Contract
import Remote

/// The commands that ask for a report.
extension ObdRemote {
    struct Monitors: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "monitors",
            abstract: "Reads readiness for an inspection, and what the on-board tests came to."
        )

        @OptionGroup var options: CommandOptions

        func run() async throws {
            try await self.options.perform("read_monitors") { MonitorsText($0).lines }
        }
    }

    struct Vehicle: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "vehicle",
            abstract: "Reads who the vehicle is: VIN, ECUs, calibrations, and how often its monitors have run."
        )

        @OptionGroup var options: CommandOptions

        func run() async throws {
            try await self.options.perform("read_vehicle") { VehicleText($0).lines }
        }
    }

    struct Describe: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "describe",
            abstract: "Asks the vehicle's agent what it is and what it allows."
        )

        @OptionGroup var options: CommandOptions

        func run() async throws {
            try await self.options.perform("describe") { result in
                let commands = result["commands"].elements.map(\.shown).joined(separator: " ")
                return [
                    "Agent     \(result["agent"].shown), obd-agent \(result["version"].shown)", "Commands  \(commands)",
                    "Unsigned  \(result["unsigned_role"].shown)",
                ] + (result["vehicle"] == .null ? ["Vehicle   not connected"] : VehicleText(result["vehicle"]).lines)
            }
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Has the vehicle run a test of its own: service 08. The engine has to be off."
        )

        @OptionGroup var options: CommandOptions

        @Argument(help: "The test: two hexadecimal digits.")
        var test: String

        @Option(name: .long, help: "Up to five bytes for it, in hexadecimal digits.")
        var data: String?

        func run() async throws {
            var arguments: [String: JSON] = ["test": .string(self.test)]
            arguments["data"] = self.data.map { .string($0) }
            try await self.options.perform("run_test", arguments) { result in
                var table = Table()
                for (ecu, said) in result["ecus"].members {
                    table.append(["ECU \(ecu)", said["answer"].shown, said["data"].string ?? ""])
                }
                return table.lines
            }
        }
    }
}
