// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The keys of the configuration file of `obd-remote collect`.
///
/// Each is also an option: `password_file` is `--password-file`.
enum CollectKey: String, CaseIterable {
    case broker, username
    case passwordFile = "password_file"
    case caFile = "ca_file"
    case certificateFile = "certificate_file"
    case keyFile = "key_file"
    case prefix, timeout
    case clientID = "client_id"
    case share, database
    case databasePasswordFile = "database_password_file"
    case keep
    case signingKey = "signing_key"
    case metrics
    case statusFile = "status_file"

    /// The name of the option.
    var option: String { "--" + self.rawValue.replacing("_", with: "-") }

    /// A value, for errors.
    var example: String {
        switch self {
        case .broker: "mqtts://broker.example"
        case .username: "collector"
        case .passwordFile: "credential:mqtt-password"
        case .caFile: "credential:mqtt-ca"
        case .certificateFile: "credential:mqtt-certificate"
        case .keyFile: "credential:mqtt-key"
        case .prefix: "obd"
        case .timeout: "20s"
        case .clientID: "collector-1"
        case .share: "collectors"
        case .database: "postgresql:///obd"
        case .databasePasswordFile: "credential:database-password"
        case .keep: "400d"
        case .signingKey: "credential:signing-key"
        case .metrics: "/run/obd-collect/obd-collect.prom"
        case .statusFile: "/run/obd-collect/status.json"
        }
    }

    /// Whether an environment variable can stand for the option.
    var hasVariable: Bool {
        switch self {
        case .broker, .username, .passwordFile, .caFile, .certificateFile, .keyFile, .prefix, .signingKey: true
        case .timeout, .clientID, .share, .database, .databasePasswordFile, .keep, .metrics, .statusFile: false
        }
    }

    /// Whether the value is the path of a file, for which `credential:NAME` may stand too.
    var isFile: Bool {
        switch self {
        case .passwordFile, .caFile, .certificateFile, .keyFile, .databasePasswordFile, .signingKey: true
        default: false
        }
    }
}
