// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Contract
import OBD2
import Remote
import Subscriber

/// The commands that print a report of the agent.
extension ObdRemote {
    struct Monitors: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "monitors",
            abstract: "Reads readiness for an inspection, and the results of the on-board tests."
        )

        @OptionGroup var options: CommandOptions

        func run() async throws {
            try await self.options.perform("read_monitors", onlyReads: true) { MonitorsText($0).lines }
        }
    }

    struct Vehicle: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "vehicle",
            abstract: "Reads the vehicle's identity: VIN, ECUs, calibrations, and how often its monitors have run."
        )

        @OptionGroup var options: CommandOptions

        func run() async throws {
            try await self.options.perform("read_vehicle", onlyReads: true) { VehicleText($0).lines }
        }
    }

    struct Describe: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "describe",
            abstract: "Shows the agent's version, and the commands that it allows."
        )

        @OptionGroup var options: CommandOptions

        /// The versions that apt knows on the agent's machine, which only a signed command of an engineer shows.
        private static func packageLines(_ package: JSON) -> [String] {
            [("Available", "available"), ("Gone back", "rolled_back")].compactMap { title, member in
                let versions = package[member].elements.map(\.shown)
                return versions.isEmpty ? nil : "\(title) \(versions.joined(separator: " "))"
            }
        }

        func run() async throws {
            try await self.options.perform("describe", onlyReads: true) { result in
                let commands = result["commands"].elements.map(\.shown).joined(separator: " ")
                return [
                    "Agent     \(result["agent"].shown), obd-agent \(result["version"].shown)", "Commands  \(commands)",
                    "Unsigned  \(result["unsigned_role"].shown)",
                ] + Self.packageLines(result["package"])
                    + (result["vehicle"] == .null ? ["Vehicle   not connected"] : VehicleText(result["vehicle"]).lines)
            }
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Makes the vehicle run a test of service 08, with the engine off."
        )

        @OptionGroup var options: CommandOptions

        @Argument(help: "The test, two hexadecimal digits.")
        var test: String

        @Option(name: .long, help: "The data of the test: up to five bytes, in hexadecimal digits.")
        var data: String?

        func validate() throws {
            guard let test = [UInt8](hexadecimal: self.test), test.count == 1, let id = test.first,
                !PID(rawValue: id).isBitmap
            else {
                throw ValidationError("\"\(self.test)\" is no test. Try: two hexadecimal digits, such as 01")
            }
            guard let data = self.data else { return }
            guard let bytes = [UInt8](hexadecimal: data), ControlRequest(test: id, data: bytes) != nil else {
                throw ValidationError(
                    "--data: \"\(data)\" is no data of a test. Try: up to \(ControlRequest.dataLength) bytes in hexadecimal digits"
                )
            }
        }

        func run() async throws {
            var arguments: [String: JSON] = ["test": .string(self.test)]
            arguments["data"] = self.data.map { .string($0) }
            try await self.options.perform("run_test", arguments) { result in
                var table = TextTable()
                for (ecu, answer) in result["ecus"].members {
                    table.append(["ECU \(ecu)", answer["answer"].shown, answer["data"].string ?? ""])
                }
                return table.lines
            }
        }
    }
}
