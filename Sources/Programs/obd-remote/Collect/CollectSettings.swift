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
    /// The path of the configuration file; nil without one.
    var file: String?
    /// The broker's URL.
    var brokerName: String
    /// The place of the broker's settings, for errors.
    var brokerSettings: BrokerSettings
    var connection: ConnectionOptions
    /// The file with the password at the broker, which is read for each connection.
    var passwordFile: String?
    var topics: FleetTopics
    /// The group with which the records are shared; nil for all records.
    var share: String?
    var database: DatabaseChoice
    /// The place of the database's setting, for errors; nil for the default.
    var databasePlace: String?
    /// The longest time to connect, and of a run with `--once` to wait for the broker and the database.
    var timeout: TimeSpan?
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

    /// The file of the lock that only one collector of this user, with this client id and at this broker, can hold.
    ///
    /// Two of them would throw each other off the broker.
    var lockFile: String {
        let place = Self.directory("RUNTIME_DIRECTORY") ?? Self.directory("XDG_RUNTIME_DIR") ?? "/tmp"
        let hash = FNV1a.shortHash(of: "\(self.brokerName)\n\(self.connection.clientID)")
        return "\(place)/obd-collect-\(hash).lock"
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

    /// Whether a text is meant as the path of a file: no URL of any kind, and no pairs of libpq (`host=… password=…`).
    static func isPath(_ text: String) -> Bool {
        if text.hasPrefix("/") || text.hasPrefix("./") || text.hasPrefix("../") { return true }
        let scheme = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+.-".contains($0)) }
        return !text.contains("=") && !text.dropFirst(scheme.count).hasPrefix(":")
    }

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
