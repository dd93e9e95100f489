// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Contract
import Remote
import Subscriber

extension ObdRemote {
    /// Captures what the vehicle reads now, or sets a rule that does so by itself.
    struct Capture: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "capture",
            abstract: "Captures what was read in the last minute, or sets a rule that does so for a time.",
            discussion: """
                A capture is one event with everything that was read in the 60 s before its moment at the full rate, and \
                what is read after it. obd-remote captures shows those that arrive. The agent captures by itself when a \
                code appears, also one that was cleared.

                A rule waits for occasions (--on code_appeared, mil_on, harsh_braking, engine_stall), or for a \
                condition (--when). The values in a condition must be read already: obd-remote select --set NAME=SECONDS. \
                The name of the rule must not be one of the agent's own rules; code is built in.

                Examples:
                  obd-remote capture --after 10
                  obd-remote capture --rule misfire --on code_appeared --code 'P03*' --for 24h engine_speed
                  obd-remote capture --rule hot --when 'coolant_temperature > 115' --holds 10 --for 2h
                """
        )

        @OptionGroup var options: CommandOptions

        @OptionGroup var parameters: ParameterOptions

        @Argument(
            help: "Parameters to read faster after the moment, also separated by commas.",
            completion: ParameterOptions.completion
        )
        var names: [String] = []

        // A negative number gets the error that names the range.
        @Option(name: .long, parsing: .unconditional, help: "The seconds after the moment, 0 to 120 (default: 30).")
        var after: Double?

        @Option(
            name: .customLong("rule"),
            help: "The name of a rule to set, in place of an earlier one. Needs --for."
        )
        var rule: String?

        @Option(name: .customLong("for"), help: "With --rule, which needs it: how long the rule is active, up to 24h.")
        var time: TimeSpan?

        @Option(name: .long, help: "An occasion of the rule. May be repeated.")
        var on: [String] = []

        @Option(name: .customLong("code"), help: "With --on code_appeared: P0301, or P03* for all that begin so.")
        var codes: [String] = []

        @Option(name: .long, help: "The condition of the rule, such as 'coolant_temperature > 115'.")
        var when: String?

        @Option(
            name: .long,
            parsing: .unconditional,
            help: "The seconds for which the condition has to hold, 0 to 3600 (default: 0)."
        )
        var holds: Double?

        @Option(
            name: .long,
            parsing: .unconditional,
            help: "The seconds between two readings of the parameters after the moment, 0.05 to 60 (default: 0.2)."
        )
        var interval: Double?

        func validate() throws {
            try Self.check("after", self.after, in: 0...120)
            try Self.check("holds", self.holds, in: 0...3600)
            try Self.check("interval", self.interval, in: 0.05...60)
            _ = try ParameterOptions.chosen(self.names)
            if let time = self.time {
                try validated { () throws(ArgumentProblem) in
                    try ArgumentProblem.check(time.duration.seconds, in: CommandLimits.durations, "--for")
                }
            }
            guard self.rule != nil else {
                guard self.time == nil, self.on.isEmpty, self.codes.isEmpty, self.when == nil, self.holds == nil,
                    self.interval == nil
                else { throw ValidationError("--for, --on, --code, --when, --holds and --interval need --rule") }
                return
            }
            guard self.time != nil else {
                throw ValidationError("--rule needs --for, the time for which the rule is active. Try: --for 24h")
            }
            guard self.on.isEmpty != (self.when == nil) else {
                throw ValidationError("--rule needs either --on or --when")
            }
        }

        /// Fails if an option is given, and not in its range.
        private static func check(_ name: String, _ value: Double?, in range: ClosedRange<Double>) throws {
            guard let value, !range.contains(value) else { return }
            let (least, most) = (JSON.number(range.lowerBound).text, JSON.number(range.upperBound).text)
            throw ValidationError("--\(name) must be \(least) to \(most) seconds, not \(JSON.number(value).text)")
        }

        func run() async throws {
            let (names, list) = try ParameterOptions.chosen(self.names)
            try await self.options.perform("capture", self.arguments(names.isEmpty ? [:] : ["parameters": list])) {
                vehicle in
                try await self.parameters.check(names, of: vehicle)
            } print: { result in
                if let rule = result["rule"].string {
                    let duration = Duration.seconds(result["duration"].double ?? 0)
                    return ["The rule \(rule) is active for \(TimeSpan(duration))"]
                }
                return [
                    "Captured. The capture arrives in \(result["after"].shown) s. To receive it: obd-remote captures"
                ]
            }
        }

        private func arguments(_ parameters: [String: JSON]) -> [String: JSON] {
            var members = parameters
            members["after"] = self.after.map { .number($0) }
            guard let rule = self.rule, let time = self.time else { return members }
            members["name"] = .string(rule)
            if !self.on.isEmpty { members["on"] = .array(self.on.map { .string($0) }) }
            if !self.codes.isEmpty { members["codes"] = .array(self.codes.map { .string($0) }) }
            members["when"] = self.when.map { .string($0) }
            members["for"] = self.holds.map { .number($0) }
            members["interval"] = self.interval.map { .number($0) }
            return ["rule": .object(members), "duration": .number(time.duration.seconds)]
        }
    }
}
