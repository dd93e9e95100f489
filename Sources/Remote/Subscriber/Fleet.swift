// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The vehicles that a broker tells of.
package struct Fleet: Sendable {
    /// How many there may be; what is said of more is counted only.
    package static let limit = 10_000

    private let topics: FleetTopics
    private var pictures: [String: VehiclePicture] = [:]
    /// Messages of vehicles that were too many.
    package private(set) var ignored = 0

    package init(_ topics: FleetTopics) {
        self.topics = topics
    }

    /// By name, without the names that agents had before they knew their vehicle.
    package var vehicles: [VehiclePicture] {
        let known = Set(self.pictures.values.filter { !$0.isForerunner }.compactMap(\.agent))
        return self.pictures.values
            .filter { picture in !picture.isForerunner || picture.agent.map(known.contains) != true }
            .sorted { $0.name < $1.name }
    }

    /// Takes what a retained topic says; what is not about a vehicle is left alone.
    package mutating func receive(_ message: Message) {
        guard let (name, path) = self.topics.split(message.topic), VehiclePicture.paths.contains(path),
            // What is emptied is gone.
            !message.payload.isEmpty
        else { return }
        guard self.pictures[name] != nil || self.pictures.count < Self.limit else {
            self.ignored += 1
            return
        }
        self.pictures[name, default: VehiclePicture(name: name)].receive(path, message.payload)
    }
}
