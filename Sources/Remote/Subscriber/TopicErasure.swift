// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import MQTT

/// Deletes retained messages, both of known topics and of topics that the broker lists.
package struct TopicErasure: BrokerMachine {
    /// The number of messages in flight.
    static let window = 64
    /// The largest number of deleted topics.
    static let limit = 10_000

    /// The result, by topic.
    package struct Outcome: Hashable, Sendable {
        /// The topics whose empty message the broker acknowledged.
        package var emptied: [Topic] = []
        /// The topics to which the broker does not allow this client to publish.
        package var refused: [Topic] = []
        /// The topics without an acknowledgment before the deadline.
        package var unanswered: [Topic] = []
        /// Whether the broker allowed this client to read all retained messages.
        package var isListComplete = false
    }

    package typealias Progress = Never

    package let filters: [TopicFilter]
    package let qos = QoS.atMostOnce
    private let deadline: MonotonicTime
    private var outcome = Outcome()
    /// The topics to empty, each once.
    private var queue: [Topic]
    private var known: Set<Topic>
    /// The topics whose empty message is not acknowledged, the oldest first: brokers answer in order (MQTT 5, section 4.6).
    private var inFlight: [Topic] = []
    private var delivery = RetainedDelivery()
    private var isEmptying = false

    /// - Parameters:
    ///   - known: topics that are deleted even if the broker does not list them.
    ///   - filters: filters for further topics: every retained message there is deleted, in the order of the filters.
    ///   - deadline: the end of the wait for acknowledgments.
    package init(_ known: [Topic], and filters: [TopicFilter], until deadline: MonotonicTime) {
        self.known = Set(known)
        self.queue = known
        self.filters = filters
        self.deadline = deadline
    }

    package mutating func subscriptionAnswered(_ grants: [Bool], at now: MonotonicTime) -> [Action] {
        self.outcome.isListComplete = grants.allSatisfy { $0 }
        self.delivery.subscriptionAnswered(at: now)
        return []
    }

    package mutating func messageReceived(_ message: Message, at now: MonotonicTime) -> [Action] {
        guard !message.payload.isEmpty, message.retain, self.known.count < Self.limit else { return [] }
        if self.known.insert(message.topic).inserted { self.queue.append(message.topic) }
        self.delivery.messageReceived(on: message.topic, at: now)
        return []
    }

    package mutating func unsubscribed() -> [Action] {
        self.isEmptying = true
        // What the topics of an earlier filter define may depend on those of a later one.
        self.queue = self.queue.sorted { self.rank(of: $0) < self.rank(of: $1) }
        return self.next()
    }

    package mutating func timePassed(at now: MonotonicTime) -> [Action] {
        guard now < self.deadline else { return self.stopRequested() }
        return self.delivery.timePassed(at: now) ? [.unsubscribe(self.filters)] : []
    }

    package mutating func publishAcknowledged() -> [Action] {
        if !self.inFlight.isEmpty { self.outcome.emptied.append(self.inFlight.removeFirst()) }
        return self.next()
    }

    package mutating func publishRejected(code: UInt8) -> [Action] {
        if !self.inFlight.isEmpty { self.outcome.refused.append(self.inFlight.removeFirst()) }
        return self.next()
    }

    package mutating func connectionLost(_ error: MQTTError) -> [Action] {
        (self.queue, self.inFlight) = (self.inFlight + self.queue, [])
        (self.delivery, self.isEmptying) = (RetainedDelivery(), false)
        return []
    }

    package mutating func stopRequested() -> [Action] {
        self.outcome.unanswered = self.inFlight + self.queue
        return [.finish(self.outcome)]
    }

    /// Returns the position of a topic's filter; -1 without one.
    private func rank(of topic: Topic) -> Int { self.filters.firstIndex { $0.matches(topic) } ?? -1 }

    private mutating func next() -> [Action] {
        guard self.isEmptying else { return [] }
        guard !self.queue.isEmpty || !self.inFlight.isEmpty else { return [.finish(self.outcome)] }
        let topics = self.queue.prefix(Self.window - self.inFlight.count)
        self.queue.removeFirst(topics.count)
        self.inFlight += topics
        return topics.map { .publish(Message(topic: $0, payload: [], qos: .atLeastOnce, retain: true)) }
    }
}
