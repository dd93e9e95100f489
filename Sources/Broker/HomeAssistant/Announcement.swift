// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// The discovery messages that announce a vehicle and its entities, or remove them.
struct Announcement {
    /// The name of the publisher in discovery messages.
    static let origin = "obd-agent"

    let id: String
    let prefix: Topic
    let form: DiscoveryForm
    /// The vehicle's name for people.
    let name: String
    let vin: String?
    let version: String
    var facts = DeviceFacts()
    /// The address of the console, without the vehicle; nil if there is none.
    var consoleURL: String?

    private var device: JSON {
        var device: [String: JSON] = ["ids": .array([.string("obd_\(self.id)")]), "name": .string(self.name)]
        device["sn"] = self.vin.map { .string($0) }
        device["sw"] = .string("\(Self.origin) \(self.version)")
        device["mf"] = self.facts.manufacturer.map { .string($0) }
        device["mdl"] = self.facts.model.map { .string($0) }
        device["cu"] = self.consoleURL.map { .string("\($0)#/\(Self.escaped(self.name))") }
        return .object(device)
    }

    /// Returns a name as a part of an address: letters, digits and `-._~` as they are, all else in percent signs.
    private static func escaped(_ name: String) -> String {
        name.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber || "-._~".contains(character))
            return isPlain ? String(character) : "%\(byte.hexadecimal)"
        }.joined()
    }

    private var origin: JSON { ["name": .string(Self.origin), "sw": .string(self.version)] }

    /// Returns the messages that announce `entities` and remove the entities of `removed`.
    func messages(_ entities: [Entity], removed: [String: Entity.Component]) -> [Message] {
        switch self.form {
        case .device:
            var components: [String: JSON] = [:]
            for (key, component) in removed { components[key] = ["p": .string(component.rawValue)] }
            for entity in entities {
                components[entity.key] = .object(
                    self.settings(of: entity).merging(["p": .string(entity.component.rawValue)]) { $1 }
                )
            }
            let payload: JSON = ["dev": self.device, "o": self.origin, "cmps": .object(components)]
            return [self.message(to: Self.deviceTopic(self.prefix, self.id), payload.text)].compactMap(\.self)
        case .component:
            return self.removals(removed)
                + entities.compactMap { entity in
                    let shared = ["dev": self.device, "o": self.origin]
                    let payload = JSON.object(self.settings(of: entity).merging(shared) { $1 })
                    return self.message(
                        to: Self.topic(self.prefix, self.id, entity.key, entity.component),
                        payload.text
                    )
                }
        }
    }

    private func settings(of entity: Entity) -> [String: JSON] {
        entity.settings.merging(["uniq_id": .string("obd_\(self.id)_\(entity.key)")]) { $1 }
    }

    private func removals(_ removed: [String: Entity.Component]) -> [Message] {
        removed.sorted { $0.key < $1.key }.compactMap {
            self.message(to: Self.topic(self.prefix, self.id, $0.key, $0.value), "")
        }
    }

    private func message(to topic: Topic?, _ payload: String) -> Message? { Self.message(to: topic, payload) }

    private static func message(to topic: Topic?, _ payload: String) -> Message? {
        topic.map { Message(topic: $0, payload: Array(payload.utf8), qos: .atLeastOnce, retain: true) }
    }

    // MARK: - Earlier announcements

    /// Returns the messages that clear the retained topics of an announced vehicle.
    static func removal(of announced: AnnouncedVehicle) -> [Message] { self.messages("", to: announced) }

    /// Returns the messages by which Home Assistant keeps the entities while the discovery form changes.
    static func migration(of announced: AnnouncedVehicle) -> [Message] {
        self.messages(#"{"migrate_discovery":true}"#, to: announced)
    }

    private static func messages(_ payload: String, to announced: AnnouncedVehicle) -> [Message] {
        guard let prefix = try? Topic(announced.prefix) else { return [] }
        let topics =
            switch announced.form {
            case .device: [self.deviceTopic(prefix, announced.id)]
            case .component:
                announced.entities.sorted { $0.key < $1.key }.map {
                    self.topic(prefix, announced.id, $0.key, $0.value)
                }
            }
        return topics.compactMap { self.message(to: $0, payload) }
    }

    private static func deviceTopic(_ prefix: Topic, _ id: String) -> Topic? {
        try? prefix.appending("device").appending(id).appending("config")
    }

    private static func topic(_ prefix: Topic, _ id: String, _ key: String, _ component: Entity.Component) -> Topic? {
        try? prefix.appending(component.rawValue).appending(id).appending(key).appending("config")
    }
}
