// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Contract
import Remote
import Timing

extension RemoteCommand {
    /// Chooses what is polled.
    struct Select: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "select",
            abstract: "Chooses what is read of a vehicle, and how often; kept for the vehicle unless --for is given.",
            discussion: """
                What is not named is not read any more.

                Example:
                  obd-agent remote select engine_speed=0.5 coolant_temperature=10 --for 10m
                """
        )

        @OptionGroup var options: CommandOptions

        @Argument(help: "NAME=SECONDS between two readings.")
        var parameters: [String]

        @Option(name: .customLong("for"), help: "Until the selection before comes back: 10m.")
        var time: TimeSpan?

        func validate() throws { _ = try self.intervals() }

        func run() async throws {
            var arguments: [String: JSON] = ["parameters": .object(try self.intervals())]
            if let time { arguments["duration"] = .number(time.duration.seconds) }
            try await self.options.perform("select_parameters", arguments) { result in
                var table = Table()
                for (name, seconds) in result["parameters"].members {
                    table.append([name, "every \(seconds.shown) s"])
                }
                let end = result["duration"].double.map {
                    ["For \(TimeSpan(.milliseconds(Int64($0.bounded * 1000))))."]
                }
                return table.lines + result["unsupported"].elements.map { "The vehicle does not tell \($0.shown)." }
                    + (end ?? [])
            }
        }

        private func intervals() throws -> [String: JSON] {
            var intervals: [String: JSON] = [:]
            for text in self.parameters {
                let parts = text.split(separator: "=", omittingEmptySubsequences: false)
                guard parts.count == 2, !parts[0].isEmpty, let seconds = Double(parts[1]), seconds.isFinite else {
                    throw ValidationError("\"\(text)\" is not NAME=SECONDS, as in engine_speed=0.5")
                }
                guard intervals.updateValue(.number(seconds), forKey: String(parts[0])) == nil else {
                    throw ValidationError("\(parts[0]) is named twice")
                }
            }
            return intervals
        }
    }
}

extension Double {
    /// A number of seconds that a `Duration` can be made of.
    var bounded: Double { Swift.min(Swift.max(self.isFinite ? self : 0, 0), 1e9) }
}
