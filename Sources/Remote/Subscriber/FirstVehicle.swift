// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
package import MQTT

/// Waits until the broker shows the first vehicle that is wanted.
package struct FirstVehicle: BrokerMachine {
    /// The progress.
    package enum Progress: Hashable, Sendable {
        /// An agent is there, and has not identified its vehicle; reported on each change of its state.
        case agent(VehiclePicture)
        /// The broker granted the subscription, and has sent nothing for a while.
        case silent
        /// The connection to the broker is lost.
        case connectionLost(MQTTError)
    }

    /// The result.
    package enum Outcome: Hashable, Sendable {
        /// The topic level of the vehicle.
        case found(String)
        /// The broker does not allow this client to read the states of the vehicles.
        case forbidden
        case timedOut
    }

    /// The topics that the agent of every vehicle retains.
    private static let paths = ["availability", "status"]

    package let filters: [TopicFilter]
    package let qos = QoS.atMostOnce
    private let wanted: @Sendable (Fleet) -> [VehiclePicture]
    private let deadline: MonotonicTime?
    private var fleet: Fleet
    private var silence = SilenceWatch()
    /// The last reported words about each agent.
    private var reports: [String: String] = [:]

    /// - Parameters:
    ///   - topics: the topics of the fleet.
    ///   - wanted: returns the wanted vehicles of those that the broker shows.
    ///   - deadline: the end of the wait; nil to wait for ever.
    package init(
        _ topics: FleetTopics,
        until deadline: MonotonicTime?,
        wanted: @escaping @Sendable (Fleet) -> [VehiclePicture]
    ) throws(TopicError) {
        self.filters = try Self.paths.map { path throws(TopicError) in try topics.filter(path) }
        self.fleet = Fleet(topics)
        self.deadline = deadline
        self.wanted = wanted
    }

    package mutating func subscriptionAnswered(_ grants: [Bool], at now: MonotonicTime) -> [Action] {
        self.silence.subscribed(at: now)
        return grants.contains(true) ? [] : [.finish(.forbidden)]
    }

    package mutating func messageReceived(_ message: Message, at now: MonotonicTime) -> [Action] {
        self.silence.messageReceived()
        self.fleet.receive(message)
        let vehicles = self.wanted(self.fleet)
        if let vehicle = vehicles.first(where: { $0.lastSeen != nil && !$0.isNamedForAgent }) {
            return [.finish(.found(vehicle.name))]
        }
        return vehicles.filter { $0.lastSeen != nil && $0.availability == .online }.compactMap { vehicle in
            let words = "\(vehicle.activity) \(vehicle.problem ?? "")"
            guard self.reports[vehicle.name] != words else { return nil }
            self.reports[vehicle.name] = words
            return .report(.agent(vehicle))
        }
    }

    package mutating func timePassed(at now: MonotonicTime) -> [Action] {
        if let deadline, now >= deadline { return [.finish(.timedOut)] }
        return self.silence.isDue(at: now) ? [.report(.silent)] : []
    }

    package mutating func publishRejected(code: UInt8) -> [Action] { [] }

    package mutating func connectionLost(_ error: MQTTError) -> [Action] {
        self.silence.connectionLost()
        return [.report(.connectionLost(error))]
    }

    package mutating func stopRequested() -> [Action] { [.finish(.timedOut)] }
}
