// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Remote

/// How long, and for whom.
struct WatchOptions: ParsableArguments {
    @Option(name: .customLong("for"), help: "How long: 30s, 5m; without it, until q or Ctrl-C.")
    var time: TimeSpan?

    @Flag(name: .long, help: "Print a JSON object a line, with the topic and the payload.")
    var json = false

    func watch(_ vehicle: String, on broker: RemoteBroker) async throws {
        let watching = Watching(broker: broker, vehicle: vehicle, time: self.time?.duration, isJSON: self.json)
        try await watching.run()
    }
}

extension RemoteCommand {
    /// What a vehicle publishes, as it comes.
    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "watch",
            abstract: "Shows a vehicle live: a dashboard on a terminal, else a line for each change."
        )

        @OptionGroup var choice: VehicleChoice
        @OptionGroup var options: WatchOptions

        func run() async throws {
            let broker = try self.choice.broker.remoteBroker()
            try await self.options.watch(try await self.choice.chosen(on: broker), on: broker)
        }
    }
}
