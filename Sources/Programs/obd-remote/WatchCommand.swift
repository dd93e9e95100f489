// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandLine

extension ObdRemote {
    /// Shows a vehicle live.
    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "watch",
            abstract: "Shows a vehicle live: a dashboard on a terminal, otherwise a line for each change.",
            discussion: WatchOptions.keys
        )

        @OptionGroup var choice: VehicleChoice
        @OptionGroup var options: WatchOptions

        func run() async throws {
            let broker = try self.choice.broker.brokerAccess()
            let deadline = self.options.deadline
            let vehicle = try await self.choice.awaited(on: broker, until: deadline)
            try await self.options.watch(.broker(broker, vehicle: vehicle), until: deadline)
        }
    }
}
