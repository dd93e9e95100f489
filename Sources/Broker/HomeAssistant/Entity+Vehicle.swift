// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2

// The entities of a vehicle that do not depend on the selected parameters.
extension Entity {
    /// Returns the entities for the agent's availability, the vehicle link, and the time of the last reply.
    static func presence(_ topic: (TopicPath) -> String) -> [Entity] {
        [
            // The broker publishes the last will here when the agent dies.
            Entity(
                "agent-online",
                .binarySensor,
                name: "Agent",
                [
                    "stat_t": .string(topic(.availability)), "pl_on": "online", "pl_off": "offline",
                    "dev_cla": "connectivity", "ent_cat": "diagnostic",
                ]
            ),
            Entity(
                "vehicle-link",
                .binarySensor,
                name: "Vehicle link",
                [
                    "stat_t": .string(topic(.status)), "dev_cla": "connectivity", "ent_cat": "diagnostic",
                    "val_tpl": .string("{{ 'ON' if \(Self.isConnected) else 'OFF' }}"),
                    // The last status of an agent that is offline says nothing about the link.
                    "avty_t": .string(topic(.availability)),
                ]
            ),
            Entity(
                "last-seen",
                .sensor,
                name: "Last seen",
                [
                    "stat_t": .string(topic(.status)), "dev_cla": "timestamp", "ent_cat": "diagnostic",
                    "val_tpl": "{{ value_json.vehicle_seen | default(None) }}",
                ]
            ),
        ]
    }

    /// Returns the entity that shows whether the vehicle is parked.
    static func parked(_ topic: (TopicPath) -> String) -> Entity {
        Entity(
            "vehicle-parked",
            .binarySensor,
            name: "Parked",
            [
                "stat_t": .string(topic(.status)), "ic": "mdi:car-brake-parking",
                "val_tpl":
                    "{{ ('ON' if value_json.parked else 'OFF') if value_json.parked is defined else None }}",
            ]
        )
    }

    /// Returns the entity that shows whether the parked vehicle's battery is low.
    static func battery(_ topic: (TopicPath) -> String) -> Entity {
        Entity(
            "battery-low",
            .binarySensor,
            name: "12 V battery",
            [
                "stat_t": .string(topic(.status)), "dev_cla": "battery",
                "val_tpl":
                    "{{ ('ON' if value_json.battery.low else 'OFF') if value_json.battery is defined else None }}",
            ]
        )
    }

    /// The condition of a template that the confirmed vehicle answers.
    static let isConnected = "value_json.link == 'connected' and value_json.vehicle_confirmed"

    /// Returns the entities for the warning lamp and for the number of codes, with the codes as attributes.
    static func codes(_ topic: (TopicPath) -> String) -> [Entity] {
        let text = #"{{ c.code | tojson }}: {{ (c.description | default('')) | tojson }}"#
        let attributes =
            #"{"codes": {{ value_json.codes | map(attribute='code') | unique | list | tojson }}, "#
            + #""descriptions": { {% for c in value_json.codes %}"# + text
            + #"{{ ', ' if not loop.last }}{% endfor %} }, "#
            + #""known": {{ value_json.known | tojson }}, "unread": {{ value_json.unread | tojson }}, "#
            + #""time": {{ value_json.time | tojson }} }"#
        return [
            Entity(
                "warning-lamp",
                .binarySensor,
                name: "Warning lamp",
                [
                    "stat_t": .string(topic(.codes)), "dev_cla": "problem", "ic": "mdi:engine",
                    "val_tpl":
                        "{{ ('ON' if value_json.mil else 'OFF') if value_json.mil is defined else None }}",
                ]
            ),
            Entity(
                "trouble-codes",
                .sensor,
                name: "Trouble codes",
                [
                    "stat_t": .string(topic(.codes)), "stat_cla": "measurement", "sug_dsp_prc": 0,
                    "ic": "mdi:car-wrench", "json_attr_t": .string(topic(.codes)),
                    // If the codes could not be read, the number is unknown and not 0.
                    "val_tpl": .string(
                        "{{ (value_json.codes | map(attribute='code') | unique | list | length)"
                            + " if value_json.known else None }}"
                    ),
                    "json_attr_tpl": .string(attributes),
                ]
            ),
        ]
    }

    /// Returns the entity that shows whether a monitor is incomplete since the codes were cleared.
    static func monitor(_ monitor: Monitor, _ topic: (TopicPath) -> String) -> Entity {
        let state = "value_json.monitors['\(monitor.rawValue)']"
        return Entity(
            "monitor-\(monitor.rawValue)",
            .binarySensor,
            name: Self.monitorName(monitor),
            [
                "stat_t": .string(topic(.monitors)), "ent_cat": "diagnostic", "en": false,
                "ic": "mdi:clipboard-check-outline",
                "val_tpl": .string(
                    "{{ ('ON' if \(state) == 'incomplete' else 'OFF') if \(state) is defined else None }}"
                ),
            ]
        )
    }

    private static func monitorName(_ monitor: Monitor) -> String {
        let word = Words.term("monitor.\(monitor.rawValue)") ?? NamePhrase.phrase(monitor.rawValue)
        return "\(word.prefix(1).uppercased())\(word.dropFirst()) monitor incomplete"
    }
}
