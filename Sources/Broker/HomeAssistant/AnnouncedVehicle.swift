// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
package import Base

/// What a broker was told of a vehicle, as the store keeps it: whoever wants to remove it must know it.
package struct AnnouncedVehicle: Hashable, Sendable {
    /// How many entities of a vehicle are announced at most.
    static let entityLimit = 300
    /// How many that are no more are remembered.
    static let withdrawnLimit = 100

    /// Its identifier in Home Assistant and in discovery topics, for ever: the VIN it had first.
    package let id: String
    /// Its VIN; nil where nobody could read it.
    var vin: String?
    /// The topics: `obd/van-12`.
    var topics: String
    /// What the discovery topics begin with.
    var prefix: String
    var form: DiscoveryForm
    /// The entities that were announced.
    var entities: [String: Entity.Component]
    /// Those that Home Assistant may still have: what is removed while it is away is not removed.
    var withdrawn: [String: Entity.Component]
    /// Tells what was announced from what is to be.
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

    /// Reads what ``body`` was; nil where that is no such thing.
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

    /// Whether it is the vehicle of one of these names: topic levels or VINs.
    package func isCalled(_ names: Set<String>) -> Bool {
        let level = self.topics.split(separator: "/").last.map(String.init)
        return [self.id, self.vin, level].contains { $0.map(names.contains) ?? false }
    }

    /// The topics that it was announced on.
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
