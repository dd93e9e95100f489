// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import MQTT

/// Collects retained messages until the broker has sent them all.
package struct RetainedMessages: BrokerMachine {
    /// The largest total size of the messages, in bytes.
    static let limit = 64 << 20

    /// The result.
    package enum Outcome: Hashable, Sendable {
        /// The collected messages.
        ///
        /// - Parameter isComplete: whether all messages were received before the deadline and within ``limit``.
        case collected([Message], isComplete: Bool)
        /// The broker does not allow this client to read any of the topics.
        case forbidden
        /// The broker did not answer before the deadline, so it is unknown what it has.
        ///
        /// The error is that of a lost connection; nil if the broker has never answered.
        case unanswered(MQTTError?)
    }

    package typealias Progress = Never

    package let filters: [TopicFilter]
    /// QoS 0.
    ///
    /// With acknowledgments a broker queues a limited number of messages (Mosquitto 1,000) and drops the rest.
    package let qos = QoS.atMostOnce
    private let deadline: MonotonicTime
    private var messages: [Message] = []
    private var size = 0
    private var delivery = RetainedDelivery()
    private var loss: MQTTError?

    package init(_ filters: [TopicFilter], until deadline: MonotonicTime) {
        self.filters = filters
        self.deadline = deadline
    }

    package mutating func subscriptionAnswered(_ grants: [Bool], at now: MonotonicTime) -> [Action] {
        self.delivery.subscriptionAnswered(at: now)
        return grants.contains(true) ? [] : [.finish(.forbidden)]
    }

    package mutating func messageReceived(_ message: Message, at now: MonotonicTime) -> [Action] {
        self.size += message.payload.count + message.topic.description.utf8.count
        guard self.size <= Self.limit else { return self.stopRequested() }
        self.messages.append(message)
        self.delivery.messageReceived(on: message.topic, at: now)
        return []
    }

    package mutating func unsubscribed() -> [Action] { [.finish(.collected(self.messages, isComplete: true))] }

    package mutating func timePassed(at now: MonotonicTime) -> [Action] {
        if now >= self.deadline {
            return self.delivery.isAnswered ? self.stopRequested() : [.finish(.unanswered(self.loss))]
        }
        return self.delivery.timePassed(at: now) ? [.unsubscribe(self.filters)] : []
    }

    package mutating func publishRejected(code: UInt8) -> [Action] { [] }

    package mutating func connectionLost(_ error: MQTTError) -> [Action] {
        // On the next connection all retained messages arrive again.
        (self.messages, self.size, self.delivery, self.loss) = ([], 0, RetainedDelivery(), error)
        return []
    }

    package mutating func stopRequested() -> [Action] { [.finish(.collected(self.messages, isComplete: false))] }
}
