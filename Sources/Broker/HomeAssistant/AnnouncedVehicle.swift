// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// The discovery messages published for one vehicle, as the store keeps them, so that they can be removed later.
package struct AnnouncedVehicle: Hashable, Sendable {
    /// The largest number of announced entities of a vehicle.
    static let entityLimit = 600
    /// The largest number of remembered removed entities of a vehicle.
    static let withdrawnLimit = 600

    /// The vehicle's permanent identifier in Home Assistant and in discovery topics: its first VIN.
    package let id: String
    /// The vehicle's VIN; nil if it could not be read.
    var vin: String?
    /// The root of the vehicle's topics: `obd/van-12`.
    var topics: String
    /// The root of the discovery topics.
    var prefix: String
    var form: DiscoveryForm
    /// The components of the announced entities, by key.
    var entities: [String: Entity.Component]
    /// The components of the removed entities that Home Assistant may still have, by key.
    ///
    /// Home Assistant misses a removal that is published while it does not run.
    var withdrawn: [String: Entity.Component]
    /// The hash of the announcement, which shows whether a new one differs.
    var digest: UInt64

    init(
        id: String,
        vin: String?,
        topics: String,
        prefix: String,
        form: DiscoveryForm,
        entities: [String: Entity.Component] = [:],
        withdrawn: [String: Entity.Component] = [:],
        digest: UInt64 = 0
    ) {
        self.id = id
        self.vin = vin
        self.topics = topics
        self.prefix = prefix
        self.form = form
        self.entities = entities
        self.withdrawn = withdrawn
        self.digest = digest
    }

    /// Reads the form of ``body``; nil if the bytes are not of that form.
    package init?(id: String, body: [UInt8]) {
        guard case .object(let members) = try? JSON(parsing: body, depthLimit: 4),
            case .string(let topics) = members["topics"], case .string(let prefix) = members["prefix"],
            case .string(let word) = members["form"], let form = DiscoveryForm(rawValue: word),
            case .string(let digits) = members["digest"], let digest = UInt64(digits, radix: 16)
        else { return nil }
        var vin: String?
        if case .string(let text) = members["vin"] { vin = text }
        self.init(
            id: id,
            vin: vin,
            topics: topics,
            prefix: prefix,
            form: form,
            entities: Self.components(members["entities"]),
            withdrawn: Self.components(members["withdrawn"]),
            digest: digest
        )
    }

    /// The JSON that the store keeps.
    package var body: [UInt8] {
        var json: [String: JSON] = [
            "topics": .string(self.topics), "prefix": .string(self.prefix), "form": .string(self.form.rawValue),
            "entities": .object(self.entities.mapValues { .string($0.rawValue) }),
            "withdrawn": .object(self.withdrawn.mapValues { .string($0.rawValue) }),
            "digest": .string(String(self.digest, radix: 16)),
        ]
        json["vin"] = self.vin.map { .string($0) }
        return Array(JSON.object(json).text.utf8)
    }

    /// Whether one of `names`, each a topic level or a VIN, is a name of this vehicle.
    package func matches(anyOf names: Set<String>) -> Bool {
        let level = self.topics.split(separator: "/").last.map(String.init)
        return [self.id, self.vin, level].contains { $0.map(names.contains) ?? false }
    }

    /// The discovery topics that have retained messages for the vehicle.
    package var discoveryTopics: [Topic] {
        var all = self
        all.entities.merge(self.withdrawn) { current, _ in current }
        return Announcement.removal(of: all).map(\.topic)
    }

    private static func components(_ json: JSON?) -> [String: Entity.Component] {
        guard case .object(let members) = json else { return [:] }
        return members.compactMapValues { member in
            if case .string(let word) = member { Entity.Component(rawValue: word) } else { nil }
        }
    }
}
