// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Contract
import Remote
import Subscriber

extension ObdRemote {
    /// Selects the polled parameters.
    struct Select: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "select",
            abstract: "Selects the polled parameters and their intervals. Kept for the vehicle unless --for is given.",
            discussion: """
                NAME=SECONDS replaces the selection: other parameters are no longer polled. --set and --remove change \
                it.

                A NAME is a parameter such as engine_speed, a service and PID such as 010C, or a category such as \
                category:engine, which selects all that the vehicle has of it. The other categories are fuel, air, \
                exhaust, temperatures, electrical, driving and diagnosis. A parameter's own interval takes precedence \
                over that of its category. obd-agent parameters list prints the names.

                The command prints the interval that the link sustains for each parameter, and the version of the \
                selection, for --expect-version.

                Examples:
                  obd-remote select engine_speed=0.5 coolant_temperature=10 --for 10m
                  obd-remote select --set 010C=0.5 --set category:fuel=5 --remove category:exhaust
                """
        )

        @OptionGroup var options: CommandOptions

        @OptionGroup var names: ParameterOptions

        @Argument(help: "NAME=SECONDS for each parameter to poll.", completion: ParameterOptions.completion)
        var parameters: [String] = []

        @Option(
            name: .customLong("set"),
            help: "NAME=SECONDS: add this parameter, or change its interval. May be repeated.",
            completion: ParameterOptions.completion
        )
        var changes: [String] = []

        @Option(
            name: .customLong("remove"),
            help: "A name, or several separated by commas: no longer poll it.",
            completion: ParameterOptions.completion
        )
        var removed: [String] = []

        @Option(
            name: .customLong("dead-band"),
            help: """
                NAME=CHANGE, for a parameter that is named with its seconds: the least change of the value that is \
                published at once, in the metric unit. May be repeated.
                """
        )
        var deadBands: [String] = []

        @Flag(name: .long, help: "Change nothing if the vehicle lacks a named parameter.")
        var strict = false

        @Option(
            name: .customLong("expect-version"),
            help: "Change nothing if the selection has another version, because another user changed it."
        )
        var expectedVersion: Int64?

        @Option(name: .customLong("for"), help: "Restore the previous selection after this time, such as 10m.")
        var time: TimeSpan?

        func validate() throws { _ = try self.arguments() }

        func run() async throws {
            let arguments = try self.arguments()
            let names = ["parameters", "set"].flatMap { key in arguments[key]?.members.map { String($0.0) } ?? [] }
            try await self.options.perform("select_parameters", arguments) { vehicle in
                try await self.names.check(names, of: vehicle)
            } print: { result in
                var table = TextTable()
                SelectionCommand.rows(result).forEach { table.append($0) }
                return table.lines + SelectionCommand.notes(result)
            }
        }

        private func arguments() throws -> [String: JSON] {
            try validated { () throws(ArgumentProblem) in
                try SelectionCommand.arguments(
                    parameters: self.parameters,
                    changes: self.changes,
                    removed: self.removed,
                    deadBands: self.deadBands,
                    duration: self.time?.duration.seconds,
                    expectedVersion: self.expectedVersion,
                    isStrict: self.strict
                )
            }
        }
    }
}
