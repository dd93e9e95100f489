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
            discussion: """
                The engine must run or the drive be enabled, and the agent needs a catalog of signal sets. The make and \
                the model year come from the VIN, unless --make and --year name others. If the agent's [parameters] sets is \
                "detect", it polls the set that fits clearly from then on.

                Example:
                  obd-remote detect --vehicle van --make Kia --year 2023
                """
        )

        @OptionGroup var options: CommandOptions

        @Option(name: .long, help: "The make (default: that of the VIN).")
        var make: String?

        @OptionGroup var modelYear: ModelYearOption

        func run() async throws {
            var arguments: [String: JSON] = [:]
            arguments["make"] = self.make.map { .string($0) }
            arguments["year"] = self.modelYear.year.map { .integer(Int64($0)) }
            try await self.options.perform("detect_parameters", arguments) { result in
                // The set is imported where the agent runs, with the catalog of its configuration.
                DetectionText(
                    result,
                    folder: "/etc/obd-agent/sets/",
                    remark: "Run it on the machine of the agent, with sudo, and name its file in [parameters] sets."
                ).lines
            }
        }
    }
}
