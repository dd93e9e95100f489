// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Configuration
import Contract
package import EventLoop
import HomeAssistant
import OBD2
package import Store

/// The names of a vehicle and the places that hold data of it, for `obd-agent forget`.
package struct VehicleTraces: Sendable {
    /// The vehicle's topic levels, VINs and hashes.
    package private(set) var names: Set<String> = []
    /// The ids of the vehicle's announcements to Home Assistant.
    package let announced: Set<String>
    /// The known topics on which a message may be retained.
    package let topics: [Topic]
    /// The filters for all topics on which a message may be retained.
    package let filters: [TopicFilter]

    /// Collects the traces; nil if no such vehicle is known.
    ///
    /// - Parameters:
    ///   - wanted: a topic level, an alias or a VIN.
    ///   - directory: the directory of `erasure`, which has the key of the hashes.
    package init?(
        of wanted: String,
        in erasure: VehicleErasure,
        _ directory: String,
        _ configuration: Configuration?,
        _ machine: MachineIdentity = MachineIdentity()
    ) throws(StoreError) {
        let rows = try erasure.vehicles().map { [$0.name, $0.vin, $0.mark].compactMap(\.self) }
        let aliases = (configuration?.vehicle.aliases ?? [:]).map { [$0.key.description, $0.value] }
        // No key is created: without one, nothing was hashed.
        let key = (try? NamingKey.bytes(for: .vin, in: directory, machine)) ?? []
        let naming = VehicleNaming(configuration?.vehicle ?? Configuration.Vehicle(), machine, key: key)
        var keys: Set = [wanted.lowercased()]
        // One name of a row leads to the others of the same row.
        while true {
            let hashes = self.names.compactMap { VIN($0) }.map(naming.marks)
            let found = (rows + aliases + hashes).filter { $0.contains { keys.contains($0.lowercased()) } }.joined()
            guard !self.names.isSuperset(of: found) else { break }
            self.names.formUnion(found)
            keys.formUnion(found.map { $0.lowercased() })
        }
        // The vehicle's row may be gone while other data of it remains.
        if self.names.isEmpty, try !erasure.counts(of: [wanted]).isEmpty { self.names = [wanted] }
        let names = self.names
        let announced = try erasure.announced().compactMap { AnnouncedVehicle(id: $0.id, body: $0.body) }
            .filter { $0.matches(anyOf: names) }
        guard !names.isEmpty else { return nil }
        self.announced = Set(announced.map(\.id))
        let series = try erasure.series(of: names)
        guard let mqtt = configuration?.mqtt, let homeAssistant = configuration?.homeAssistant.prefix else {
            (self.topics, self.filters) = ([], [])
            return
        }
        self.topics = Self.topics(of: names, series, mqtt.topicPrefix) + announced.flatMap(\.discoveryTopics)
        self.filters =
            names.sorted().compactMap { try? TopicFilter("\(mqtt.topicPrefix)/\($0)/#") }
            + names.union(self.announced).sorted().flatMap {
                (try? DiscoveryDevice(id: $0).filters(homeAssistant)) ?? []
            }
    }

    private static func topics(of names: Set<String>, _ series: Set<String>, _ prefix: Topic) -> [Topic] {
        let paths =
            [.availability, .status, .vehicle, .codes, .monitors, .trip, .position, .limits, .finding]
            + series.sorted().map { series -> TopicPath in
                let parts = series.split(separator: "/", maxSplits: 1).map(String.init)
                return .parameter(parts.first ?? series, ecu: parts.count > 1 ? parts[1] : nil)
            }
        return names.sorted().compactMap { try? VehicleTopics(prefix: prefix, vehicle: $0) }
            .flatMap { topics in paths.compactMap { try? topics.topic($0) } }
    }
}
