// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
package import MQTT

/// Waits until a vehicle is connected, after its agent refused a command because it was not.
package struct VehicleArrival: BrokerMachine {
    /// The progress.
    package enum Progress: Hashable, Sendable {
        /// The connection to the broker is lost.
        case connectionLost(MQTTError)
    }

    /// The result.
    package enum Outcome: Hashable, Sendable {
        case connected
        case timedOut
        /// The broker does not allow this client to read the state of the vehicle.
        case statusForbidden
    }

    package let filters: [TopicFilter]
    package let qos = QoS.atLeastOnce
    private let topics: FleetTopics
    private let since: Timestamp?
    private let end: MonotonicTime
    private var picture: VehiclePicture

    /// - Parameters:
    ///   - vehicle: the topic level of the vehicle.
    ///   - since: the time of the refusal by the agent's clock. Older status messages are ignored.
    ///   - topics: the topics of the fleet.
    ///   - end: the end of the wait.
    package init(of vehicle: String, since: Timestamp?, topics: FleetTopics, end: MonotonicTime) throws(TopicError) {
        self.filters = [
            try topics.filter("availability", of: vehicle), try topics.filter("status", of: vehicle),
        ]
        self.topics = topics
        self.since = since
        self.end = end
        self.picture = VehiclePicture(name: vehicle)
    }

    package mutating func subscriptionAnswered(_ grants: [Bool], at now: MonotonicTime) -> [Action] {
        grants.contains(false) ? [.finish(.statusForbidden)] : []
    }

    package mutating func messageReceived(_ message: Message, at now: MonotonicTime) -> [Action] {
        guard let (vehicle, path) = self.topics.split(message.topic), vehicle == self.picture.name else { return [] }
        self.picture.receive(path, message.payload)
        // A retained status may be older than the refusal.
        guard let seen = self.picture.lastSeen, self.since.map({ $0 <= seen }) ?? true else { return [] }
        let isConnected =
            self.picture.availability == .online && self.picture.isConfirmed
            && self.picture.link == AgentStatus.Link.connected.rawValue
        return isConnected ? [.finish(.connected)] : []
    }

    package mutating func timePassed(at now: MonotonicTime) -> [Action] {
        now >= self.end ? [.finish(.timedOut)] : []
    }

    package mutating func publishRejected(code: UInt8) -> [Action] { [] }

    package mutating func connectionLost(_ error: MQTTError) -> [Action] { [.report(.connectionLost(error))] }

    package mutating func stopRequested() -> [Action] { [.finish(.timedOut)] }
}
