// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// The retained messages of a vehicle at a broker, with those by which it is a device in Home Assistant.
package struct RetainedTraces: Sendable {
    /// The vehicle's topic level.
    package let vehicle: String
    /// The retained topics of the vehicle.
    package private(set) var topics: [Topic] = []
    private var picture: VehiclePicture

    package init(of vehicle: String) {
        self.vehicle = vehicle
        self.picture = VehiclePicture(name: vehicle)
    }

    /// Takes a retained message on a topic of the vehicle.
    package mutating func receive(_ message: Message, on topics: FleetTopics) {
        guard !message.payload.isEmpty, let (name, path) = topics.split(message.topic), name == self.vehicle else {
            return
        }
        self.topics.append(message.topic)
        self.picture.receive(path, message.payload)
    }

    /// Whether an agent is connected that publishes the vehicle again.
    package var isOnline: Bool { self.picture.availability == .online }

    package var lastSeen: Timestamp? { self.picture.lastSeen }

    /// Returns the filters for everything that may be retained of the vehicle.
    ///
    /// The entities of Home Assistant come before the states: an entity cannot read an emptied state.
    ///
    /// - Parameter discovery: the root of Home Assistant's discovery topics.
    package func filters(_ topics: FleetTopics, discovery: Topic) throws(TopicError) -> [TopicFilter] {
        var filters: [TopicFilter] = []
        for device in self.devices { filters += try device.filters(discovery) }
        return filters + [try topics.filter("#", of: self.vehicle)]
    }

    /// The devices that the vehicle may be in Home Assistant: by its VIN, or by its agent and its name.
    private var devices: [DiscoveryDevice] {
        [
            self.picture.vin.map { DiscoveryDevice(vin: $0) },
            self.picture.agent.map { DiscoveryDevice(agent: $0, vehicle: self.vehicle) },
        ].compactMap(\.self)
    }
}
