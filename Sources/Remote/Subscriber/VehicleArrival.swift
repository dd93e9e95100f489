// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
package import MQTT
package import Base

/// Waits until a vehicle is connected, after its agent has said that it is not.
package struct VehicleArrival: BrokerMachine {
    package enum News: Hashable, Sendable {
        case lost(MQTTError)
    }

    package enum Outcome: Hashable, Sendable {
        case connected
        case notInTime
        /// The broker does not let this client see how the vehicle is.
        case notReadable
    }

    package let filters: [TopicFilter]
    package let qos = QoS.atLeastOnce
    private let topics: FleetTopics
    private let since: Timestamp?
    private let end: MonotonicTime
    private var picture: VehiclePicture

    /// - Parameters:
    ///   - since: when the agent said so, by its own clock; what it said of the link before does not count.
    ///   - end: how long to wait at most.
    package init(of vehicle: String, since: Timestamp?, topics: FleetTopics, end: MonotonicTime) throws(TopicError) {
        self.filters = [
            try topics.filter("availability", of: vehicle), try topics.filter("status", of: vehicle),
        ]
        self.topics = topics
        self.since = since
        self.end = end
        self.picture = VehiclePicture(name: vehicle)
    }

    package mutating func subscribed(_ grants: [Bool], at now: MonotonicTime) -> [Action] {
        grants.contains(false) ? [.finish(.notReadable)] : []
    }

    package mutating func received(_ message: Message, at now: MonotonicTime) -> [Action] {
        guard let (vehicle, path) = self.topics.split(message.topic), vehicle == self.picture.name else { return [] }
        self.picture.receive(path, message.payload)
        // What is retained may be of the time before the agent was away.
        guard let seen = self.picture.lastSeen, self.since.map({ $0 <= seen }) ?? true else { return [] }
        let isThere =
            self.picture.availability == .online && self.picture.isConfirmed
            && self.picture.link == AgentStatus.Link.connected.rawValue
        return isThere ? [.finish(.connected)] : []
    }

    package mutating func passed(at now: MonotonicTime) -> [Action] {
        now >= self.end ? [.finish(.notInTime)] : []
    }

    package mutating func rejected(code: UInt8) -> [Action] { [] }

    package mutating func lost(_ error: MQTTError) -> [Action] { [.tell(.lost(error))] }

    package mutating func stopped() -> [Action] { [.finish(.notInTime)] }
}
