// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

extension Entity {
    /// Returns the entities for the newest finding of a specialist, and for whether it is urgent.
    static func findings(_ topic: (TopicPath) -> String) -> [Entity] {
        let attributes =
            "{{ {'severity': value_json.severity, 'author': value_json.issuer, 'time': value_json.time, "
            + "'codes': value_json.codes, 'text': value_json.text} | tojson }}"
        return [
            Entity(
                "finding",
                .sensor,
                name: "Finding",
                [
                    "stat_t": .string(topic(.finding)), "ic": "mdi:clipboard-text",
                    "val_tpl": .string("{{ \(Self.state("value_json.text")) }}"),
                    "json_attr_t": .string(topic(.finding)), "json_attr_tpl": .string(attributes),
                ]
            ),
            Entity(
                "urgent-finding",
                .binarySensor,
                name: "Urgent finding",
                [
                    "stat_t": .string(topic(.finding)), "dev_cla": "problem",
                    "val_tpl": "{{ 'ON' if value_json.severity == 'urgent' else 'OFF' }}",
                ]
            ),
        ]
    }

    /// Returns the entity for the last answer to a command: its state in words, with the parts as attributes.
    ///
    /// The topic is not retained, so the state is unknown after a restart of Home Assistant.
    static func lastAnswer(_ topic: (TopicPath) -> String) -> Entity {
        let words =
            "{% set reason = value_json.message | default((value_json.reason or '') | replace('_', ' ')) %}"
            + "{% set text = (value_json.command or 'command') | replace('_', ' ') ~ ' ' ~ value_json.state"
            + " ~ (': ' ~ reason if reason else '') %}{{ \(Self.state("text")) }}"
        let attributes =
            "{{ {'command': value_json.command, 'outcome': value_json.state, 'reason': value_json.reason, "
            + "'message': value_json.message | default(None), 'id': value_json.id, 'author': value_json.issuer, "
            + "'time': value_json.time} | tojson }}"
        return Entity(
            "last-answer",
            .sensor,
            name: "Last command",
            [
                "stat_t": .string(topic(.stream(.responses))), "ent_cat": "diagnostic", "ic": "mdi:message-reply-text",
                "val_tpl": .string(words), "json_attr_t": .string(topic(.stream(.responses))),
                "json_attr_tpl": .string(attributes),
            ]
        )
    }

    /// Returns the expression for a text that fits into a state of Home Assistant, which has 255 characters at most.
    private static func state(_ text: String) -> String {
        "\(text) if \(text) | length < 256 else \(text)[:254] ~ '…'"
    }
}
