// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Subscriber

extension BrokerAccess {
    /// The time limit for emptying the topics of vehicles.
    private static let erasureTimeout = Duration.seconds(120)

    /// Empties retained topics, and tells how many.
    ///
    /// - Parameters:
    ///   - topics: topics that are emptied even if the broker does not list them.
    ///   - filters: filters for further topics.
    /// - Returns: the topics that are still retained, as text.
    package func empty(_ topics: [Topic], and filters: [TopicFilter]) async throws -> [String] {
        let deadline = self.deadline ?? self.now + Self.erasureTimeout
        let outcome = try await self.run(TopicErasure(topics, and: filters, until: deadline))
        Console.print("Emptied   \(outcome.emptied.count) topics on \(self.name)")
        var left: [Topic: String] = [:]
        for topic in outcome.refused { left[topic] = "the broker does not let this client publish there" }
        for topic in outcome.unanswered { left[topic] = "no answer in time" }
        if !outcome.isListComplete {
            Console.printError(
                "\(self.name) hides retained messages: only the topics that were known before were emptied"
            )
        }
        // Not all brokers report that they refused a message, so the retained topics are read again.
        let gathering = RetainedMessages(filters, until: self.now + .seconds(30))
        if case .collected(let messages, _) = try await self.run(gathering) {
            for message in messages where message.retain && !message.payload.isEmpty {
                left[message.topic] = left[message.topic] ?? "still retained"
            }
        }
        return left.map { "  \($0.key) on \(self.name): \($0.value)" }.sorted()
    }

    /// Returns the failure of an erasure that has left topics.
    package static func remains(_ topics: [String]) -> CommandFailure {
        let next = "again, with --broker, --username and --password-file of a user who may publish there."
        return CommandFailure(.noPermission, lines: ["On the broker remain:"] + topics, next: next)
    }
}
