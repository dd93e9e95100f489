// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Contract
import Remote
import Subscriber

extension ObdRemote {
    /// Publishes parameters at each reading for a while.
    struct Boost: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "boost",
            abstract: "Publishes parameters at each reading, for up to ten minutes."
        )

        @OptionGroup var options: CommandOptions

        @OptionGroup var parameters: ParameterOptions

        @Argument(help: "Names of parameters, also separated by commas.", completion: ParameterOptions.completion)
        var names: [String]

        @Option(name: .customLong("for"), help: "How long to publish them, up to 10m.")
        var time = TimeSpan(.seconds(60))

        func validate() throws {
            _ = try ParameterOptions.chosen(self.names)
            try validated { () throws(ArgumentProblem) in
                try ArgumentProblem.check(self.time.duration.seconds, in: CommandLimits.boostDurations, "--for")
            }
        }

        func run() async throws {
            let (names, list) = try ParameterOptions.chosen(self.names)
            let arguments: [String: JSON] = ["parameters": list, "duration": .number(self.time.duration.seconds)]
            try await self.options.perform("boost", arguments) { vehicle in
                try await self.parameters.check(names, of: vehicle)
            } print: { result in
                let boosted = result["parameters"].elements.map(\.shown).joined(separator: ", ")
                return [
                    "Published at each reading for \(result["duration"].shown) s: \(boosted.isEmpty ? "nothing" : boosted)"
                ]
                    + result["not_selected"].elements.map { "\($0.shown) is not selected. Try: obd-remote select" }
            }
        }
    }
}
