// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The tables of the configuration file.
enum Section: String, CaseIterable, Sendable {
    case vehicle
    case adapter
    case mqtt
    /// Its keys are names of parameters, not ``Key`` cases.
    case parameters
    case commands
    case clock
    case uplink
}

/// Every key of the configuration file, as `section.name`: what is not here is refused.
enum Key: String, CaseIterable, Sendable {
    case vehicleName = "vehicle.name"
    case adapterAddress = "adapter.address"
    case adapterProtocol = "adapter.protocol"
    case adapterPIN = "adapter.pin"
    case adapterNotifyUUID = "adapter.notify_uuid"
    case adapterWriteUUID = "adapter.write_uuid"
    case mqttURL = "mqtt.url"
    case mqttUsername = "mqtt.username"
    case mqttPasswordFile = "mqtt.password_file"
    case mqttAllowPlaintext = "mqtt.allow_plaintext"
    case mqttCAFile = "mqtt.ca_file"
    case mqttCertificateFile = "mqtt.certificate_file"
    case mqttKeyFile = "mqtt.key_file"
    case mqttTopicPrefix = "mqtt.topic_prefix"
    case mqttUnits = "mqtt.units"
    case commandsAllow = "commands.allow"
    case clockTrust = "clock.trust"
    case uplinkBatchSeconds = "uplink.batch_seconds"

    /// The table and the name in it: `["mqtt", "url"]`.
    var path: [String] {
        self.rawValue.split(separator: ".").map(String.init)
    }

    /// The name inside the table.
    var name: String { self.path.last ?? self.rawValue }

    /// The keys that may stand in `section`.
    static func keys(of section: Section) -> [Key] {
        Self.allCases.filter { $0.path.first == section.rawValue }
    }
}
