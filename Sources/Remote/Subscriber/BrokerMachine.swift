// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import MQTT
package import Base

/// What is to be done with a broker, as a value: ``BrokerClient`` tells it what happens, and does what it says.
package protocol BrokerMachine {
    /// What is told on the way.
    associatedtype News
    /// What it comes to.
    associatedtype Outcome: Sendable
    typealias Action = BrokerAction<News, Outcome>

    /// What to subscribe to, anew on each connection.
    var filters: [TopicFilter] { get }
    /// How hard what comes is delivered.
    var qos: QoS { get }

    /// There is a connection, and the broker has answered the subscription: filter by filter, whether it is granted.
    mutating func subscribed(_ grants: [Bool], at now: MonotonicTime) -> [Action]
    /// A message came.
    mutating func received(_ message: Message, at now: MonotonicTime) -> [Action]
    /// The broker has what was published: the oldest that it has not answered to yet.
    mutating func acknowledged() -> [Action]
    /// The broker does not take what was published: a reason code of MQTT 5, section 3.4.2.1.
    mutating func rejected(code: UInt8) -> [Action]
    /// The connection is lost; another is made.
    mutating func lost(_ error: MQTTError) -> [Action]
    /// Time has passed: told some times a second, with a connection or without one.
    mutating func passed(at now: MonotonicTime) -> [Action]
    /// Somebody wants it to end.
    mutating func stopped() -> [Action]
}

extension BrokerMachine {
    package mutating func acknowledged() -> [Action] { [] }
}

/// What a ``BrokerMachine`` wants.
package enum BrokerAction<News, Outcome> {
    case publish(Message)
    case tell(News)
    case finish(Outcome)
}

extension BrokerAction: Equatable where News: Equatable, Outcome: Equatable {}
