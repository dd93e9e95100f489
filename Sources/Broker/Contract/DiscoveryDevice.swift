// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A vehicle as a device of MQTT discovery, with which Home Assistant learns of it.
package struct DiscoveryDevice: Hashable, Sendable {
    /// The device's permanent identifier, a level of its discovery topics.
    package let id: String

    /// Creates a device with an identifier that was used before.
    package init(id: String) { self.id = id }

    /// Creates the device of a vehicle with a VIN.
    package init(vin: String) { self.init(id: Self.identifier(vin)) }

    /// Creates the device of a vehicle without a VIN, which is unique among such vehicles of one agent.
    ///
    /// - Parameters:
    ///   - agent: the identity of the agent.
    ///   - vehicle: the vehicle's topic level.
    package init(agent: String, vehicle: String) {
        let own = "agent-\(agent)"
        self.init(id: Self.identifier(vehicle == own ? own : "\(own)-\(vehicle)"))
    }

    /// Returns `text` with `_` for all characters other than ASCII letters, digits, `_` and `-`.
    package static func identifier(_ text: String) -> String {
        String(
            text.map { character in
                character.isASCII && (character.isLetter || character.isNumber || "_-".contains(character))
                    ? character : "_"
            }
        )
    }

    /// Returns the filters for all messages that announce the device: one for all entities, or one for each.
    ///
    /// - Parameter prefix: the root of the discovery topics.
    package func filters(_ prefix: Topic) throws(TopicError) -> [TopicFilter] {
        [
            try TopicFilter("\(prefix)/device/\(self.id)/config"),
            try TopicFilter("\(prefix)/+/\(self.id)/+/config"),
        ]
    }
}
