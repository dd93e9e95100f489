// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import MQTT
package import Base

/// Collects what is retained, until nothing more comes.
package struct Gathering: BrokerMachine {
    /// How long nothing has to come.
    static let quiet = Duration.milliseconds(500)
    /// How much is collected, in bytes.
    static let limit = 64 << 20

    package enum Outcome: Hashable, Sendable {
        /// - Parameter isComplete: whether it ended because nothing more came.
        case gathered([Message], isComplete: Bool)
        /// The broker lets this client read none of it.
        case forbidden
    }

    package typealias News = Never

    package let filters: [TopicFilter]
    /// Of what has to be acknowledged a broker queues only so much: Mosquitto 1,000 messages, and drops the rest.
    package let qos = QoS.atMostOnce
    private let deadline: MonotonicTime
    private var messages: [Message] = []
    private var size = 0
    private var last: MonotonicTime?

    package init(_ filters: [TopicFilter], until deadline: MonotonicTime) {
        self.filters = filters
        self.deadline = deadline
    }

    package mutating func subscribed(_ grants: [Bool], at now: MonotonicTime) -> [Action] {
        self.last = now
        return grants.contains(true) ? [] : [.finish(.forbidden)]
    }

    package mutating func received(_ message: Message, at now: MonotonicTime) -> [Action] {
        self.size += message.payload.count + message.topic.description.utf8.count
        guard self.size <= Self.limit else { return self.stopped() }
        self.messages.append(message)
        if self.last != nil { self.last = now }
        return []
    }

    package mutating func passed(at now: MonotonicTime) -> [Action] {
        if let last = self.last, now >= last + Self.quiet {
            return [.finish(.gathered(self.messages, isComplete: true))]
        }
        return now >= self.deadline ? self.stopped() : []
    }

    package mutating func rejected(code: UInt8) -> [Action] { [] }

    package mutating func lost(_ error: MQTTError) -> [Action] {
        // All of it comes again.
        (self.messages, self.size, self.last) = ([], 0, nil)
        return []
    }

    package mutating func stopped() -> [Action] { [.finish(.gathered(self.messages, isComplete: false))] }
}
