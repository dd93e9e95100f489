// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import EventLoop
package import Configuration
import Contract
import HomeAssistant
package import Base
import OBD2
package import Store

/// The names of a vehicle and the places that hold data of it, for `obd-agent forget`.
package struct VehicleTraces: Sendable {
    /// Topic levels, VINs, hashes.
    package private(set) var names: Set<String> = []
    /// The ids of what was announced to Home Assistant.
    package let announced: Set<String>
    /// The topics on which something may be retained, as far as they are known.
    package let topics: [Topic]
    /// Filters for all that may be retained.
    package let filters: [TopicFilter]

    /// - Parameters:
    ///   - wanted: a topic level, an alias or a VIN.
    ///   - directory: the one of `erasure`, where the key of the hashes is.
    /// - Returns: nil where no such vehicle is known.
    package init?(
        of wanted: String,
        in erasure: VehicleErasure,
        _ directory: String,
        _ configuration: Configuration?,
        _ machine: MachineIdentity = MachineIdentity()
    ) throws(StoreError) {
        let rows = try erasure.vehicles().map { [$0.name, $0.vin, $0.mark].compactMap(\.self) }
        let aliases = (configuration?.vehicle.aliases ?? [:]).map { [$0.key.description, $0.value] }
        // No key is made: where there is none, nothing was hashed.
        let key = (try? NamingKey.bytes(for: .vin, in: directory, machine)) ?? []
        let naming = VehicleNaming(configuration?.vehicle ?? Configuration.Vehicle(), machine, key: key)
        var keys: Set = [wanted.lowercased()]
        // What is known by one name is known by the others of the same row.
        while true {
            let hashes = self.names.compactMap { VIN($0) }.map(naming.marks)
            let found = (rows + aliases + hashes).filter { $0.contains { keys.contains($0.lowercased()) } }.joined()
            guard !self.names.isSuperset(of: found) else { break }
            self.names.formUnion(found)
            keys.formUnion(found.map { $0.lowercased() })
        }
        // Its row may be gone, and something of it still there.
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
            (names.sorted().map { "\(mqtt.topicPrefix)/\($0)/#" }
            + names.union(self.announced).sorted().flatMap {
                ["\(homeAssistant)/device/\($0)/config", "\(homeAssistant)/+/\($0)/+/config"]
            }).compactMap { try? TopicFilter($0) }
    }

    private static func topics(of names: Set<String>, _ series: Set<String>, _ prefix: Topic) -> [Topic] {
        let paths =
            [.availability, .status, .vehicle, .codes, .monitors, .finding]
            + series.sorted().map { series -> TopicPath in
                let parts = series.split(separator: "/", maxSplits: 1).map(String.init)
                return .parameter(parts.first ?? series, ecu: parts.count > 1 ? parts[1] : nil)
            }
        return names.sorted().compactMap { try? VehicleTopics(prefix: prefix, vehicle: $0) }
            .flatMap { topics in paths.compactMap { try? topics.topic($0) } }
    }
}
