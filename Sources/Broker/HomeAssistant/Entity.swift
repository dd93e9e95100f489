// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

/// An entity of a vehicle in Home Assistant: a sensor, a binary sensor, a button, an event or a device tracker.
package struct Entity: Hashable, Sendable {
    /// The entity's kind: a platform of Home Assistant.
    package enum Component: String, CaseIterable, Hashable, Sendable {
        case sensor, button, event
        case binarySensor = "binary_sensor"
        case deviceTracker = "device_tracker"
    }

    /// The entity's permanent name among those of its vehicle: letters, digits, `_` and `-`.
    package let key: String
    package let component: Component
    /// The entity's settings without its unique id, in Home Assistant's abbreviations.
    package let settings: [String: JSON]

    init(_ key: String, _ component: Component, name: String, _ settings: [String: JSON]) {
        self.key = DiscoveryDevice.identifier(key)
        self.component = component
        self.settings = settings.merging(["name": .string(name)]) { first, _ in first }
    }

    /// Returns an entity with the fewest settings that Home Assistant accepts, to be removed right afterwards.
    static func stub(_ key: String, _ component: Component, topic: String) -> Entity {
        var settings: [String: JSON] = [component == .button ? "cmd_t" : "stat_t": .string(topic)]
        if component == .event { settings["evt_typ"] = [.string(key)] }
        return Entity(key, component, name: key, settings)
    }
}
