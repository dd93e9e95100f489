// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Contract
import Remote
import Subscriber

extension ObdRemote {
    /// Finds the model of the vehicle.
    struct Detect: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "detect",
            abstract: "Finds the model of the vehicle by the requests that it answers.",
            discussion: "The engine must run or the drive be enabled, and the agent needs a catalog of signal sets."
        )

        @OptionGroup var options: CommandOptions

        @Option(name: .long, help: "The make (default: the one that the VIN tells).")
        var make: String?

        @Option(name: .long, help: "The model year (default: the one that the VIN tells).")
        var year: Int?

        func run() async throws {
            var arguments: [String: JSON] = [:]
            arguments["make"] = self.make.map { .string($0) }
            arguments["year"] = self.year.map { .integer(Int64($0)) }
            try await self.options.perform("detect_parameters", arguments) { result in
                var table = TextTable()
                table.append(["model", "answered", "asked", "share"])
                for model in result["models"].elements {
                    let share = model["share"].double.map { "\(Int(($0 * 100).rounded())) %" } ?? ""
                    table.append([model["model"].shown, model["answered"].shown, model["asked"].shown, share])
                }
                return table.lines
            }
        }
    }
}
