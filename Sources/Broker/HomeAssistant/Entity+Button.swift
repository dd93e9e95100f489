// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract

/// A button of the vehicle in Home Assistant.
package enum VehicleButton: CaseIterable, Hashable, Sendable {
    case readCodes, wake, clearCodes
}

extension Entity {
    /// Returns the entity of a button, which sends an unsigned command that the agent checks as any other.
    ///
    /// A refusal of the agent is seen in the entity of ``lastAnswer(_:)``. Only the button that clears the codes needs a
    /// vehicle that answers.
    static func button(_ button: VehicleButton, vehicle: String, _ topic: (TopicPath) -> String) -> Entity {
        var settings: [String: JSON] = [
            "cmd_t": .string(topic(.commands)), "qos": 1, "ret": false,
            "cmd_tpl": .string(Self.command(button.command, button.arguments, vehicle: vehicle)),
            "ic": .string(button.icon),
        ]
        switch button {
        case .readCodes, .wake:
            settings["avty_t"] = .string(topic(.availability))
        case .clearCodes:
            settings["ent_cat"] = "config"
            settings["avty_mode"] = "all"
            settings["avty"] = [
                ["t": .string(topic(.availability))],
                [
                    "t": .string(topic(.status)),
                    "val_tpl": .string("{{ 'online' if \(Self.isConnected) else 'offline' }}"),
                ],
            ]
        }
        return Entity(button.key, .button, name: button.name, settings)
    }

    /// Returns the template of a command with an id and times of its own.
    private static func command(_ name: String, _ arguments: String?, vehicle: String) -> String {
        let time = "strftime('%Y-%m-%dT%H:%M:%SZ')"
        return #"{"id": "ha-{{ utcnow().strftime('%Y%m%dT%H%M%S.%f') }}", "command": "\#(name)", "#
            + (arguments.map { #""arguments": \#($0), "# } ?? "")
            + #""vehicle": \#(Self.quoted(vehicle)), "#
            + #""issued_at": "{{ utcnow().\#(time) }}", "#
            + #""expires_at": "{{ (utcnow() + timedelta(seconds=60)).\#(time) }}"}"#
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

extension VehicleButton {
    fileprivate var key: String {
        switch self {
        case .readCodes: "read-codes"
        case .wake: "wake"
        case .clearCodes: "clear-codes"
        }
    }

    fileprivate var command: String {
        switch self {
        case .readCodes: "read_codes"
        case .wake: "wake"
        case .clearCodes: "clear_codes"
        }
    }

    fileprivate var arguments: String? {
        switch self {
        case .readCodes: nil
        case .wake: #"{"duration": \#(CommandLimits.buttonWakeSeconds)}"#
        case .clearCodes: #"{"confirm": "all"}"#
        }
    }

    fileprivate var name: String {
        switch self {
        case .readCodes: "Read codes"
        case .wake: "Wake"
        case .clearCodes: "Clear codes"
        }
    }

    fileprivate var icon: String {
        switch self {
        case .readCodes: "mdi:car-search"
        case .wake: "mdi:alarm"
        case .clearCodes: "mdi:eraser"
        }
    }
}
