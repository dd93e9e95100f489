// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Subscriber
import ArgumentParser
import CommandLine
import Contract
import Remote
import Base

extension ObdRemote {
    /// Chooses what is polled.
    struct Select: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "select",
            abstract: "Chooses what is read of a vehicle, and how often; kept for the vehicle unless --for is given.",
            discussion: """
                NAME=SECONDS is all that is read from then on: what is not named is not read any more. --set and --remove \
                change what is read already.

                A name is that of a parameter, engine_speed, its service and PID, 010C, or a category: all that the \
                vehicle has of category:engine, fuel, air, exhaust, temperatures, electrical, driving or diagnosis. What \
                is named itself counts before its category. obd-agent parameters lists the names.

                How often the link carries each is told, and the version of the selection, for --expect-version.

                Examples:
                  obd-remote select engine_speed=0.5 coolant_temperature=10 --for 10m
                  obd-remote select --set 010C=0.5 --set category:fuel=5 --remove category:exhaust
                """
        )

        @OptionGroup var options: CommandOptions

        @Argument(help: "NAME=SECONDS between two readings, for all that is to be read.")
        var parameters: [String] = []

        @Option(name: .customLong("set"), help: "NAME=SECONDS: read it so often, beside the rest; may be repeated.")
        var changes: [String] = []

        @Option(name: .customLong("remove"), help: "A name, or several with commas between: read it no more.")
        var removed: [String] = []

        @Option(
            name: .customLong("dead-band"),
            help: """
                NAME=CHANGE, of one that is named with its seconds: the least change of the value that is published at \
                once, in its metric unit; may be repeated.
                """
        )
        var deadBands: [String] = []

        @Flag(name: .long, help: "Change nothing where the vehicle lacks something of it.")
        var strict = false

        @Option(
            name: .customLong("expect-version"),
            help: "Change nothing where the selection has another version by now: somebody else has changed it."
        )
        var expectedVersion: Int64?

        @Option(name: .customLong("for"), help: "Until the selection before comes back: 10m.")
        var time: TimeSpan?

        func validate() throws { _ = try self.order() }

        func run() async throws {
            try await self.options.perform("select_parameters", try self.order().arguments) { result in
                let text = SelectionText(result)
                var table = Table()
                text.rows.forEach { table.append($0) }
                return table.lines + text.notes
            }
        }

        private func order() throws -> SelectionRequest {
            do throws(SelectionRequest.Problem) {
                return try SelectionRequest(
                    parameters: self.parameters,
                    changes: self.changes,
                    removed: self.removed,
                    deadBands: self.deadBands,
                    duration: self.time?.duration.seconds,
                    expectedVersion: self.expectedVersion,
                    isStrict: self.strict
                )
            } catch {
                throw ValidationError(error.description)
            }
        }
    }
}
