// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import MQTT

/// Finds out whether the broker has retained messages of a vehicle, and ends at the first one.
package struct VehicleSearch: BrokerMachine {
    /// The result.
    package enum Outcome: Hashable, Sendable {
        case found
        case notFound
        /// The broker does not allow this client to read the topics, or has not answered before the deadline.
        case undecided
    }

    package typealias Progress = Never

    /// The topics that the agent of every vehicle retains.
    private static let paths = ["availability", "status"]

    package let filters: [TopicFilter]
    package let qos = QoS.atMostOnce
    private let deadline: MonotonicTime
    private var delivery = RetainedDelivery()

    /// - Parameters:
    ///   - vehicle: the topic level of the vehicle.
    ///   - topics: the topics of the fleet.
    ///   - deadline: the end of the wait for the broker.
    package init(of vehicle: String, topics: FleetTopics, until deadline: MonotonicTime) throws(TopicError) {
        self.filters = try Self.paths.map { path throws(TopicError) in try topics.filter(path, of: vehicle) }
        self.deadline = deadline
    }

    package mutating func subscriptionAnswered(_ grants: [Bool], at now: MonotonicTime) -> [Action] {
        self.delivery.subscriptionAnswered(at: now)
        return grants.contains(true) ? [] : [.finish(.undecided)]
    }

    package mutating func messageReceived(_ message: Message, at now: MonotonicTime) -> [Action] {
        // An empty message deletes the topic.
        message.payload.isEmpty ? [] : [.finish(.found)]
    }

    package mutating func timePassed(at now: MonotonicTime) -> [Action] {
        guard now < self.deadline else { return self.stopRequested() }
        return self.delivery.timePassed(at: now) ? [.unsubscribe(self.filters)] : []
    }

    package mutating func unsubscribed() -> [Action] { [.finish(.notFound)] }

    package mutating func publishRejected(code: UInt8) -> [Action] { [] }

    package mutating func connectionLost(_ error: MQTTError) -> [Action] {
        // On the next connection the retained messages arrive again.
        self.delivery = RetainedDelivery()
        return []
    }

    package mutating func stopRequested() -> [Action] { [.finish(.undecided)] }
}
