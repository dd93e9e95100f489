// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Contract
import Remote
import Subscriber

extension ObdRemote {
    /// Wakes a parked vehicle.
    struct Wake: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "wake",
            abstract: "Wakes a parked vehicle, and holds it awake for up to 15 minutes.",
            discussion: """
                The agent wakes a parked vehicle only a few times an hour, and never if its battery is low. The \
                agent's [commands] allow must have wake.
                """
        )

        @OptionGroup var options: CommandOptions

        @Option(name: .customLong("for"), help: "How long to hold it awake, up to 15m.")
        var time = TimeSpan(.seconds(600))

        func validate() throws {
            try validated { () throws(ArgumentProblem) in
                try ArgumentProblem.check(self.time.duration.seconds, in: CommandLimits.wakeDurations, "--for")
            }
        }

        func run() async throws {
            try await self.options.perform("wake", ["duration": .number(self.time.duration.seconds)]) { result in
                ["The vehicle answers, and is held awake for \(result["duration"].shown) s."]
            }
        }
    }
}
