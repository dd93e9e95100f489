// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Configuration
import EventLoop
import MQTT
import Subscriber
import TOML

/// The options of `obd-remote collect` that are also keys of its configuration file.
struct CollectOptions: ParsableArguments {
    /// The shortest time to keep, because a shorter one is probably a mistake.
    private static let shortestKeep = Duration.seconds(86_400)

    @OptionGroup var broker: BrokerOptions

    @Option(
        name: .customLong("client-id"),
        help: "This collector's client id at the broker (default: of machine and database)."
    )
    var clientID: String?

    @Option(name: .long, help: "Shares the records with other collectors: the group's name.")
    var share: String?

    @Option(name: .long, help: "An SQLite file, or postgresql://USER@HOST/NAME (default: obd.db).")
    var database: String?

    @Option(name: .long, help: "A file with the password of the database.")
    var databasePasswordFile: String?

    @Option(name: .long, help: "How long records are kept, such as 400d (default: for ever).")
    var keep: String?

    @Option(name: .long, help: "The private key that signs requests for missing records, a JWK file.")
    var signingKey: String?

    @Option(name: .long, help: "A file of metrics for Prometheus' node_exporter, written every 15 s.")
    var metrics: String?

    @Option(name: .long, help: "The file of the state that --status reads.")
    var statusFile: String?

    @Option(name: .shortAndLong, help: "A configuration file, whose keys are these options.")
    var config: String?

    /// Returns the settings of options, environment and file; the former take precedence over the latter.
    func settings() throws -> CollectSettings {
        let file = try self.config.map { try CollectFile($0) } ?? CollectFile()
        let database = try self.databaseChoice(file)
        let (name, connection, prefix) = try self.brokerConnection(file)
        let topics = FleetTopics(prefix: prefix)
        let share = try file.value(.share, self.share).map { value in
            try value.parsed("a name: one topic level without wildcards") { Topic.isLevel($0) ? $0 : nil }
        }
        let clientID = try file.value(.clientID, self.clientID).map { value in
            try value.parsed("a client id of up to 128 letters, digits, - and _", Self.clientID)
        }
        var options = connection
        options.clientID =
            clientID ?? CollectSettings.clientID(database: database.identity, prefix: prefix.description, share: share)
        return CollectSettings(
            brokerName: name,
            connection: options,
            passwordFile: try file.value(.passwordFile, self.broker.passwordFile)?.text,
            topics: topics,
            share: share,
            database: database,
            keep: try self.keepTime(file),
            key: try file.value(.signingKey, self.signingKey).map { try KeyFile.read($0.text) },
            metrics: try file.value(.metrics, self.metrics)?.text,
            statusFile: try file.value(.statusFile, self.statusFile)?.text ?? CollectSettings.defaultStatusFile
        )
    }

    /// Returns the file of the state of the collector that runs.
    func presentStatusFile() throws -> String {
        let file = try self.config.map { try CollectFile($0) } ?? CollectFile()
        return try file.value(.statusFile, self.statusFile)?.text ?? CollectSettings.presentStatusFile
    }

    private func databaseChoice(_ file: CollectFile) throws -> DatabaseChoice {
        let password = try file.value(.databasePasswordFile, self.databasePasswordFile)
        guard let value = try file.value(.database, self.database) else {
            if let password { throw password.failure("is set without a database", next: "database, too.") }
            return .sqlite(CollectSettings.defaultDatabase)
        }
        guard value.text.hasPrefix("postgresql://") || value.text.hasPrefix("postgres://") else {
            guard !value.text.contains("://") else {
                throw value.failure(
                    "\(value.text.quoted) is neither a file nor a database of PostgreSQL",
                    next: "postgresql://USER@HOST/NAME, or the path of a file."
                )
            }
            if let password { throw password.failure("is set, but an SQLite file has no password") }
            return .sqlite(value.text)
        }
        // Everybody on the machine can read a command line, and most can read the file.
        let authority = value.text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).last ?? ""
        let user = authority.prefix { $0 != "/" && $0 != "?" }
        guard user.split(separator: "@").count < 2 || !user.prefix(while: { $0 != "@" }).contains(":"),
            !value.text.contains("password=")
        else {
            throw value.failure(
                "a URL must not contain a password",
                next: "database_password_file, PGPASSWORD or ~/.pgpass."
            )
        }
        return .postgreSQL(value.text, passwordFile: password?.text)
    }

    /// Returns the connection to the broker; fills the options that are missing from the file.
    private func brokerConnection(_ file: CollectFile) throws -> (String, ConnectionOptions, Topic) {
        var broker = self.broker
        if let value = try file.value(.broker, broker.broker) {
            do throws(ValueError) {
                _ = try Configuration.Server(url: value.text)
            } catch {
                throw value.failure("\(error)")
            }
            broker.broker = value.text
        }
        if let value = try file.value(.prefix, broker.prefix) {
            do throws(TopicError) {
                _ = try Topic(value.text)
            } catch {
                throw value.failure("\(error)", next: "the value of the agent's [mqtt] topic_prefix.")
            }
            broker.prefix = value.text
        }
        broker.username = try file.value(.username, broker.username)?.text
        broker.passwordFile = try Self.readable(file.value(.passwordFile, broker.passwordFile))
        broker.caFile = try Self.readable(file.value(.caFile, broker.caFile))
        broker.certificateFile = try Self.readable(file.value(.certificateFile, broker.certificateFile))
        broker.keyFile = try Self.readable(file.value(.keyFile, broker.keyFile))
        if broker.timeout == nil {
            broker.timeout = try file.value(.timeout, nil)?.parsed("a time such as 30s, 5m or 2h") { TimeSpan($0) }
        }
        let (name, connection, prefix) = try broker.connection()
        return (name, broker.limited(connection), prefix)
    }

    private func keepTime(_ file: CollectFile) throws -> Duration? {
        guard let value = try file.value(.keep, self.keep) else { return nil }
        let span = try value.parsed("a time such as 400d") { TimeSpan($0) }
        guard span.duration >= Self.shortestKeep else { throw value.failure("\(value.text) is less than a day") }
        return span.duration
    }

    private static func readable(_ value: CollectFile.Value?) throws -> String? {
        guard let value else { return nil }
        if let problem = TextFile.problem(reading: value.text) {
            throw value.failure("\(value.text) can't be read: \(problem)")
        }
        return value.text
    }

    private static func clientID(_ text: String) -> String? {
        let isValid =
            (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                    || Character(Unicode.Scalar(byte)).isASCII && Character(Unicode.Scalar(byte)).isLetter
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            }
        return isValid ? text : nil
    }
}
