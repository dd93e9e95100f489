// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TOML

/// The tables of the configuration file.
enum Section: String, CaseIterable, Sendable {
    case vehicle
    case adapter
    case mqtt
    /// The selection of parameters; its keys are parameter names, not ``Key`` cases.
    case parameters
    case commands
    case clock
    case position
    case parking
    case power
    case store
    case uplink
    case trips
    case upgrade
    case homeAssistant = "home_assistant"
    /// The custom parameters; its keys are their names, each with a table of ``CustomKey``s.
    case custom
    /// The derived parameters; its keys are their names, each with a table.
    case derived
    /// The limits; its keys are their names, each with a table.
    case limit
    /// The rules of captures; its keys are their names, each with a table.
    case capture

    /// Whether the keys are names that the user chooses, which readers of their own check.
    var hasOwnNames: Bool {
        switch self {
        case .parameters, .custom, .derived, .limit, .capture: true
        default: false
        }
    }
}

/// Returns the path of a key or a table as errors spell it: `[mqtt] url`, `[mqtt]`, `url`.
func keyName(_ path: [String]) -> String {
    let names = path.map(\.quotedIfNeeded)
    guard let first = names.first else { return "" }
    guard names.count > 1 else { return Section(rawValue: first) == nil ? first : "[\(first)]" }
    return "[\(first)] \(names.dropFirst().joined(separator: "."))"
}

/// The keys of the configuration file, as `section.name`; all other keys are refused.
enum Key: String, CaseIterable, Sendable {
    case vehicleName = "vehicle.name"
    case vehicleIdentity = "vehicle.identity"
    case vehicleAlias = "vehicle.alias"
    case vehicleExpectedVIN = "vehicle.expected_vin"
    case vehicleFuel = "vehicle.fuel"
    case vehicleEngineDisplacement = "vehicle.engine_displacement"
    case vehicleVolumetricEfficiency = "vehicle.volumetric_efficiency"
    case adapterAddress = "adapter.address"
    case adapterProtocol = "adapter.protocol"
    case adapterPIN = "adapter.pin"
    case adapterNotifyUUID = "adapter.notify_uuid"
    case adapterWriteUUID = "adapter.write_uuid"
    case adapterNonDiagnosticHeaders = "adapter.non_diagnostic_headers"
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
    case commandsAllowAlso = "commands.allow_also"
    case commandsRawWriting = "commands.raw_writing"
    case commandsEngineOverride = "commands.engine_override"
    case commandsButtons = "commands.buttons"
    case commandsUnsignedRole = "commands.unsigned_role"
    case commandsTrustedKeys = "commands.trusted_keys"
    case clockTrust = "clock.trust"
    case positionGPSD = "position.gpsd"
    case positionShare = "position.share"
    case positionZones = "position.zones"
    case parkingAfterSeconds = "parking.after_seconds"
    case parkingLookSeconds = "parking.look_seconds"
    case parkingCharging = "parking.charging"
    case parkingChargingSeconds = "parking.charging_seconds"
    case parkingProbesPerHour = "parking.probes_per_hour"
    case parkingProbesPerNight = "parking.probes_per_night"
    case parkingQuiet = "parking.quiet"
    case parkingMinimumVoltage = "parking.minimum_voltage"
    case parkingVoltageOffset = "parking.voltage_offset"
    case parkingSleepAdapter = "parking.sleep_adapter"
    case powerShutdownAfterParkedSeconds = "power.shutdown_after_parked_seconds"
    case storeDirectory = "store.directory"
    case storeLimitMiB = "store.limit_mib"
    case storeBatchSeconds = "store.batch_seconds"
    case storeKeepDays = "store.keep_days"
    case uplinkLive = "uplink.live"
    case uplinkBatchSeconds = "uplink.batch_seconds"
    case uplinkCompression = "uplink.compression"
    case uplinkDailyBudget = "uplink.daily_budget_mib"
    case tripsEnabled = "trips.enabled"
    case tripsHarshBraking = "trips.harsh_braking"
    case tripsHarshAcceleration = "trips.harsh_acceleration"
    case tripsOverSpeed = "trips.over_speed"
    case upgradeRollback = "upgrade.rollback"
    case upgradeWithinSeconds = "upgrade.within_seconds"
    case upgradeKeepHours = "upgrade.keep_hours"
    case homeAssistantEnabled = "home_assistant.enabled"
    case homeAssistantPrefix = "home_assistant.discovery_prefix"
    case homeAssistantDiscovery = "home_assistant.discovery"
    case homeAssistantClearButton = "home_assistant.clear_button"
    case homeAssistantConsoleURL = "home_assistant.console_url"

    /// The names of the table and of the key: `["mqtt", "url"]`.
    var path: [String] {
        self.rawValue.split(separator: ".").map(String.init)
    }

    /// The name of the key in its table.
    var name: String { self.path.last ?? self.rawValue }

    /// Returns the keys of `section`.
    static func keys(of section: Section) -> [Key] {
        Self.allCases.filter { $0.path.first == section.rawValue }
    }
}
