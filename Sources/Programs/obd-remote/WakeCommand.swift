// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Subscriber
import ArgumentParser
import CommandLine
import Contract
import Remote
import Base

extension ObdRemote {
    /// Wakes a parked vehicle.
    struct Wake: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "wake",
            abstract: "Wakes a parked vehicle, and holds it for at most a quarter of an hour.",
            discussion: """
                A parked vehicle may be asked a few times an hour only, and not at all when its battery is low. Its agent \
                has to allow it: [commands] allow.
                """
        )

        @OptionGroup var options: CommandOptions

        @Option(name: .customLong("for"), help: "For how long, up to 15m.")
        var time = TimeSpan(.seconds(600))

        func run() async throws {
            try await self.options.perform("wake", ["duration": .number(self.time.duration.seconds)]) { result in
                ["It answers, and is held for \(result["duration"].shown) s."]
            }
        }
    }
}
