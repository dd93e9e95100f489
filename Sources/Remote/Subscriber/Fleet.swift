// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// The vehicles that have retained messages at a broker.
package struct Fleet: Sendable {
    /// The largest number of vehicles.
    ///
    /// Messages of further vehicles are only counted.
    package static let limit = 10_000

    private let topics: FleetTopics
    private var pictures: [String: VehiclePicture] = [:]
    /// The number of messages of vehicles beyond ``limit``.
    package private(set) var ignored = 0

    package init(_ topics: FleetTopics) {
        self.topics = topics
    }

    /// All vehicles and provisional names of agents, by name.
    package var all: [VehiclePicture] { self.pictures.values.sorted { $0.name < $1.name } }

    /// The vehicles by name.
    ///
    /// The provisional name of an agent is left out as soon as one of its vehicles is known.
    package var vehicles: [VehiclePicture] {
        let known = Set(self.pictures.values.filter { !$0.isProvisional }.compactMap(\.agent))
        return self.all.filter { picture in !picture.isProvisional || picture.agent.map(known.contains) != true }
    }

    /// Returns the vehicles that an agent serves now; if it serves none, the one that it has served last.
    package func vehicles(of agent: String) -> [VehiclePicture] {
        let own = self.vehicles.filter { $0.agent == agent }
        let present = own.filter { $0.availability == .online }
        guard present.isEmpty else { return present }
        let seen = own.compactMap { vehicle in vehicle.lastSeen.map { (vehicle, $0) } }
        return (seen.max { $0.1 < $1.1 }?.0 ?? own.first).map { [$0] } ?? []
    }

    /// The online vehicles of each agent that serves several at once.
    ///
    /// An agent serves a single vehicle. Two agents with the same id run from copies of one card, and give two records the
    /// same number.
    package var vehiclesOfOneAgent: [[VehiclePicture]] {
        let online = self.vehicles.filter { $0.availability == .online && $0.agent != nil }
        let groups = Dictionary(grouping: online, by: \.agent).values.filter { $0.count > 1 }
        return groups.sorted { ($0.first?.name ?? "") < ($1.first?.name ?? "") }
    }

    /// Takes a retained message.
    ///
    /// Messages on other topics than those of a vehicle are ignored.
    package mutating func receive(_ message: Message) {
        guard let (name, path) = self.topics.split(message.topic), VehiclePicture.paths.contains(path),
            // An empty retained message deletes the topic.
            !message.payload.isEmpty
        else { return }
        guard self.pictures[name] != nil || self.pictures.count < Self.limit else {
            self.ignored += 1
            return
        }
        self.pictures[name, default: VehiclePicture(name: name)].receive(path, message.payload)
    }
}
