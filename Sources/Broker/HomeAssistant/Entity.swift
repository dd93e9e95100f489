// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// One thing that Home Assistant shows of a vehicle: a sensor, a binary sensor, a button.
package struct Entity: Hashable, Sendable {
    /// What Home Assistant calls a platform.
    package enum Component: String, CaseIterable, Hashable, Sendable {
        case sensor, button
        case binarySensor = "binary_sensor"
    }

    /// Its name among the vehicle's, for ever: letters, digits, `_` and `-`.
    package let key: String
    package let component: Component
    /// Its settings but for its unique id, in Home Assistant's abbreviations.
    package let settings: [String: JSON]

    init(_ key: String, _ component: Component, name: String, _ settings: [String: JSON]) {
        self.key = Self.identifier(key)
        self.component = component
        self.settings = settings.merging(["name": .string(name)]) { first, _ in first }
    }

    /// The settings that are enough for Home Assistant to know it, so that it can forget it.
    static func stub(_ key: String, _ component: Component, topic: String) -> Entity {
        let setting = component == .button ? "cmd_t" : "stat_t"
        return Entity(key, component, name: key, [setting: .string(topic)])
    }

    /// A text in which what no identifier may have is `_`.
    static func identifier(_ text: String) -> String {
        String(
            text.map { character in
                character.isASCII && (character.isLetter || character.isNumber || "_-".contains(character))
                    ? character : "_"
            }
        )
    }
}
