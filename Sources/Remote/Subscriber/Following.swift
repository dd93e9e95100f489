// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import MQTT

/// Reports all messages on some topics, until a deadline or until it is stopped.
package struct Following: BrokerMachine {
    /// The progress.
    package enum Progress: Hashable, Sendable {
        case message(Message)
        /// The broker granted the subscription.
        case subscribed
        /// The connection to the broker is lost.
        case connectionLost(MQTTError)
        /// Time has passed, ten times a second, also without a connection.
        case timePassed(MonotonicTime)
    }

    /// The reason why the run of this machine ended.
    package enum Outcome: Hashable, Sendable {
        case ended
        /// The broker does not allow this client to read this filter.
        case forbidden(TopicFilter)
    }

    package let filters: [TopicFilter]
    package let qos = QoS.atLeastOnce
    package let retainsAsPublished = false
    /// The end; nil to continue until stopped.
    package let deadline: MonotonicTime?

    /// - Parameters:
    ///   - filters: the topics.
    ///   - deadline: the end; nil to continue until stopped.
    package init(_ filters: [TopicFilter], until deadline: MonotonicTime?) {
        self.filters = filters
        self.deadline = deadline
    }

    package mutating func subscriptionAnswered(_ grants: [Bool], at now: MonotonicTime) -> [Action] {
        let refused = zip(self.filters, grants).first { !$0.1 }
        return refused.map { [.finish(.forbidden($0.0))] } ?? [.report(.subscribed)]
    }

    package mutating func messageReceived(_ message: Message, at now: MonotonicTime) -> [Action] {
        [.report(.message(message))]
    }

    package mutating func timePassed(at now: MonotonicTime) -> [Action] {
        [.report(.timePassed(now))] + (self.deadline.map { now >= $0 } == true ? [.finish(.ended)] : [])
    }

    package mutating func publishRejected(code: UInt8) -> [Action] { [] }

    package mutating func connectionLost(_ error: MQTTError) -> [Action] { [.report(.connectionLost(error))] }

    package mutating func stopRequested() -> [Action] { [.finish(.ended)] }
}
