// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Collect
import CommandLine
import EventLoop
import JOSE
import MQTT
import Subscriber

/// The settings of a collector.
struct CollectSettings {
    /// The broker's URL.
    var brokerName: String
    var connection: ConnectionOptions
    /// The file with the password at the broker, which is read for each connection.
    var passwordFile: String?
    var topics: FleetTopics
    /// The group with which the records are shared; nil for all records.
    var share: String?
    var database: DatabaseChoice
    /// The time to keep records; nil for ever.
    var keep: Duration?
    /// The key that signs requests for missing records; nil for unsigned ones.
    var key: JSONWebKey?
    /// The file of the metrics; nil without one.
    var metrics: String?
    /// The file of the state, which `--status` reads.
    var statusFile: String

    /// The database without a configuration: in the service's state directory, or in the present folder.
    static var defaultDatabase: String { Self.directory("STATE_DIRECTORY").map { "\($0)/obd.db" } ?? "obd.db" }

    /// The file of the state without a configuration: in the service's runtime directory, or in the present folder.
    static var defaultStatusFile: String {
        Self.directory("RUNTIME_DIRECTORY").map { "\($0)/status.json" } ?? "obd-collect.json"
    }

    /// The file of the state of a collector that runs: that of the present folder, or else that of the service.
    static var presentStatusFile: String {
        let own = Self.defaultStatusFile
        return TextFile.isRegular(own) ? own : "/run/obd-collect/status.json"
    }

    private static func directory(_ variable: String) -> String? {
        environmentVariable(variable)?.split(separator: ":").first.map(String.init)
    }

    /// Returns a client id that stays the same, and differs from those of other machines and databases.
    static func clientID(database: String, prefix: String, share: String?) -> String {
        let words = [MachineIdentity().agent, database, prefix, share ?? ""]
        return "collect-" + FNV1a.shortHash(of: words.joined(separator: "\n"))
    }
}

/// The database of a collector.
enum DatabaseChoice {
    /// The path of an SQLite file.
    case sqlite(String)
    /// The URL of a database of PostgreSQL, without a password.
    case postgreSQL(String, passwordFile: String?)

    /// The name for people.
    var name: String {
        switch self {
        case .sqlite(let path): path
        case .postgreSQL(let url, _): url
        }
    }

    /// The name by which the default client id tells this database from others.
    var identity: String {
        guard case .sqlite(let path) = self, !path.hasPrefix("/") else { return self.name }
        return "\(OutputFile.absolutePath(of: "."))/\(path)"
    }
}
