// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import MQTT
package import Base

/// Hands on what comes, until a time or until it is stopped.
package struct Following: BrokerMachine {
    package enum News: Hashable, Sendable {
        case message(Message)
        case subscribed
        case lost(MQTTError)
    }

    package enum Outcome: Hashable, Sendable {
        case ended
        /// The broker does not let this client read that.
        case forbidden(TopicFilter)
    }

    package let filters: [TopicFilter]
    package let qos = QoS.atLeastOnce
    private let deadline: MonotonicTime?

    /// - Parameter deadline: nil: until it is stopped.
    package init(_ filters: [TopicFilter], until deadline: MonotonicTime?) {
        self.filters = filters
        self.deadline = deadline
    }

    package mutating func subscribed(_ grants: [Bool], at now: MonotonicTime) -> [Action] {
        let refused = zip(self.filters, grants).first { !$0.1 }
        return refused.map { [.finish(.forbidden($0.0))] } ?? [.tell(.subscribed)]
    }

    package mutating func received(_ message: Message, at now: MonotonicTime) -> [Action] {
        [.tell(.message(message))]
    }

    package mutating func passed(at now: MonotonicTime) -> [Action] {
        self.deadline.map { now >= $0 } == true ? [.finish(.ended)] : []
    }

    package mutating func rejected(code: UInt8) -> [Action] { [] }

    package mutating func lost(_ error: MQTTError) -> [Action] { [.tell(.lost(error))] }

    package mutating func stopped() -> [Action] { [.finish(.ended)] }
}
