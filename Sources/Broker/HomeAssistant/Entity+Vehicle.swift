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

    private static let isConnected = "value_json.link == 'connected' and value_json.vehicle_confirmed"

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
            name: "\(NamePhrase.phrase(monitor.rawValue)) monitor incomplete",
            [
                "stat_t": .string(topic(.monitors)), "ent_cat": "diagnostic", "ic": "mdi:clipboard-check-outline",
                "val_tpl": .string(
                    "{{ ('ON' if \(state) == 'incomplete' else 'OFF') if \(state) is defined else None }}"
                ),
            ]
        )
    }

    /// Returns the button that clears the codes by an unsigned command, which the agent checks as any other.
    static func clearButton(vehicle: String, _ topic: (TopicPath) -> String) -> Entity {
        let time = "strftime('%Y-%m-%dT%H:%M:%SZ')"
        let command =
            #"{"id": "ha-{{ utcnow().strftime('%Y%m%dT%H%M%S.%f') }}", "command": "clear_codes", "#
            + #""arguments": {"confirm": "all"}, "vehicle": \#(Self.quoted(vehicle)), "#
            + #""issued_at": "{{ utcnow().\#(time) }}", "#
            + #""expires_at": "{{ (utcnow() + timedelta(seconds=60)).\#(time) }}"}"#
        return Entity(
            "clear-codes",
            .button,
            name: "Clear codes",
            [
                "cmd_t": .string(topic(.commands)), "cmd_tpl": .string(command), "qos": 1, "ret": false,
                "ic": "mdi:eraser", "ent_cat": "config", "avty_mode": "all",
                "avty": [
                    ["t": .string(topic(.availability))],
                    [
                        "t": .string(topic(.status)),
                        "val_tpl": .string("{{ 'online' if \(Self.isConnected) else 'offline' }}"),
                    ],
                ],
            ]
        )
    }

    /// Returns a JSON string in which no template can begin.
    private static func quoted(_ text: String) -> String {
        let escaped = JSON.string(text).text.map { character in
            switch character {
            case "{": #"\u007b"#
            case "}": #"\u007d"#
            default: String(character)
            }
        }
        return escaped.joined()
    }
}
