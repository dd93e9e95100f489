// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import MQTT
package import Base

/// Empties retained topics: those that are known, and those that the broker shows.
package struct TopicErasure: BrokerMachine {
    /// The number of messages in flight.
    static let window = 64
    /// The time without a retained message after which all retained messages count as received.
    static let quiet = Duration.milliseconds(500)
    /// The largest number of topics that are emptied.
    static let limit = 10_000

    package struct Outcome: Hashable, Sendable {
        /// The broker has the empty messages of these.
        package var emptied: [Topic] = []
        /// The broker does not let this client publish to these.
        package var refused: [Topic] = []
        /// The time was up before the broker had answered for these.
        package var unanswered: [Topic] = []
        /// Whether the broker showed what is retained.
        package var isShown = false
    }

    package typealias News = Never

    package let filters: [TopicFilter]
    package let qos = QoS.atMostOnce
    private let deadline: MonotonicTime
    private var outcome = Outcome()
    /// The topics to empty, each once.
    private var waiting: [Topic]
    private var known: Set<Topic>
    /// The topics whose empty message is not acknowledged, the oldest first: brokers answer in order (MQTT 5, section 4.6).
    private var inFlight: [Topic] = []
    /// When something was shown last; nil while nothing is to come, before or after.
    private var lastShown: MonotonicTime?
    private var isEmptying = false

    /// - Parameters:
    ///   - known: emptied whatever the broker shows.
    ///   - filters: all that is retained there is emptied too.
    package init(_ known: [Topic], and filters: [TopicFilter], until deadline: MonotonicTime) {
        self.known = Set(known)
        self.waiting = known
        self.filters = filters
        self.deadline = deadline
    }

    package mutating func subscribed(_ grants: [Bool], at now: MonotonicTime) -> [Action] {
        self.outcome.isShown = grants.allSatisfy { $0 }
        self.lastShown = now
        return []
    }

    package mutating func received(_ message: Message, at now: MonotonicTime) -> [Action] {
        guard !message.payload.isEmpty, message.retain, self.known.count < Self.limit else { return [] }
        if self.known.insert(message.topic).inserted { self.waiting.append(message.topic) }
        if self.lastShown != nil { self.lastShown = now }
        return []
    }

    package mutating func passed(at now: MonotonicTime) -> [Action] {
        if let last = self.lastShown, now >= last + Self.quiet {
            self.lastShown = nil
            self.isEmptying = true
        }
        guard now < self.deadline else { return self.stopped() }
        return self.next()
    }

    package mutating func acknowledged() -> [Action] {
        if !self.inFlight.isEmpty { self.outcome.emptied.append(self.inFlight.removeFirst()) }
        return self.next()
    }

    package mutating func rejected(code: UInt8) -> [Action] {
        if !self.inFlight.isEmpty { self.outcome.refused.append(self.inFlight.removeFirst()) }
        return self.next()
    }

    package mutating func lost(_ error: MQTTError) -> [Action] {
        (self.waiting, self.inFlight) = (self.inFlight + self.waiting, [])
        (self.lastShown, self.isEmptying) = (nil, false)
        return []
    }

    package mutating func stopped() -> [Action] {
        self.outcome.unanswered = self.inFlight + self.waiting
        return [.finish(self.outcome)]
    }

    private mutating func next() -> [Action] {
        guard self.isEmptying else { return [] }
        guard !self.waiting.isEmpty || !self.inFlight.isEmpty else { return [.finish(self.outcome)] }
        let topics = self.waiting.prefix(Self.window - self.inFlight.count)
        self.waiting.removeFirst(topics.count)
        self.inFlight += topics
        return topics.map { .publish(Message(topic: $0, payload: [], qos: .atLeastOnce, retain: true)) }
    }
}
