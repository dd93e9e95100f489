// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import MQTT

/// A state machine that works with a broker.
///
/// ``BrokerClient`` passes the events in, and performs the returned actions.
package protocol BrokerMachine {
    /// The progress that the machine reports.
    associatedtype Progress
    /// The final result.
    associatedtype Outcome: Sendable
    typealias Action = BrokerAction<Progress, Outcome>

    /// The filters that are subscribed to on each connection.
    var filters: [TopicFilter] { get }
    /// The quality of service of the subscriptions.
    var qos: QoS { get }
    /// Whether a message that the broker forwards at once keeps its retain flag.
    ///
    /// Without that, the flag tells a message that the broker had kept from one that arrives as it is published.
    var retainsAsPublished: Bool { get }
    /// Whether the broker drops the session once the machine has finished.
    var endsSession: Bool { get }

    /// The broker accepted a connection.
    ///
    /// - Parameter sessionPresent: whether it has kept the session, and what came for it meanwhile.
    mutating func connected(sessionPresent: Bool) -> [Action]
    /// The broker answered the subscription on a new connection: whether each of the filters is granted.
    mutating func subscriptionAnswered(_ grants: [Bool], at now: MonotonicTime) -> [Action]
    /// The broker answered ``BrokerAction/unsubscribe(_:)``, and all that it had sent before has been received.
    mutating func unsubscribed() -> [Action]
    /// A message arrived.
    mutating func messageReceived(_ message: Message, at now: MonotonicTime) -> [Action]
    /// The broker acknowledged the oldest published message in flight.
    mutating func publishAcknowledged() -> [Action]
    /// The broker rejected the oldest published message in flight, with a reason code of MQTT 5, section 3.4.2.1.
    mutating func publishRejected(code: UInt8) -> [Action]
    /// The connection is lost, or a service could not connect. The client reconnects.
    mutating func connectionLost(_ error: MQTTError) -> [Action]
    /// Another client probably has this client id, and the client waits for minutes.
    ///
    /// - Parameter isCertain: whether the broker says so.
    mutating func rivalFound(isCertain: Bool) -> [Action]
    /// Time has passed. The client calls this ten times a second, also without a connection.
    mutating func timePassed(at now: MonotonicTime) -> [Action]
    /// The caller stops the machine.
    mutating func stopRequested() -> [Action]
}

extension BrokerMachine {
    package var endsSession: Bool { true }
    package var retainsAsPublished: Bool { true }

    package mutating func connected(sessionPresent: Bool) -> [Action] { [] }
    package mutating func unsubscribed() -> [Action] { [] }
    package mutating func publishAcknowledged() -> [Action] { [] }
    package mutating func rivalFound(isCertain: Bool) -> [Action] { [] }
}

/// An action of a ``BrokerMachine``.
package enum BrokerAction<Progress, Outcome> {
    case publish(Message)
    /// Ends the subscriptions to these filters.
    case unsubscribe([TopicFilter])
    case report(Progress)
    case finish(Outcome)
}

extension BrokerAction: Equatable where Progress: Equatable, Outcome: Equatable {}
