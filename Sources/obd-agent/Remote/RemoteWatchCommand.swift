// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Contract
import Messages
import Remote
import Timing

extension RemoteCommand {
    /// What a vehicle publishes, as it comes.
    struct Watch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "watch",
            abstract: "Follows a vehicle live: values as they change, events, codes; until Ctrl-C."
        )

        @OptionGroup var choice: VehicleChoice

        @Option(name: .customLong("for"), help: "How long: 30s, 5m; without it, until Ctrl-C.")
        var time: TimeSpan?

        @Flag(name: .long, help: "Print a JSON object a line, with the topic and the payload.")
        var json = false

        func run() async throws {
            let broker = try self.choice.broker.remoteBroker()
            let vehicle = try await self.choice.chosen(on: broker)
            var log = WatchLog(broker.topics)
            let following = Following(
                try broker.filters(WatchLog.paths, of: vehicle),
                until: self.time.map { broker.now + $0.duration }
            )
            try await broker.follow(following) { message in
                if self.json { return Self.printJSON(message.topic.description, message.payload) }
                guard let line = log.line(for: message) else { return }
                let subject = line.subject + String(repeating: " ", count: max(0, 28 - line.subject.count))
                let time = line.time + String(repeating: " ", count: max(0, 12 - line.time.count))
                Output.line("\(time)  \(subject)  \(line.text)")
            }
        }

        private static func printJSON(_ topic: String, _ payload: [UInt8]) {
            let json =
                (try? JSON(parsing: payload, depthLimit: 32)) ?? .string(String(decoding: payload, as: UTF8.self))
            Output.json(["topic": .string(topic), "payload": json], onOneLine: true)
        }
    }
}
