// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
import CommandLine
import Configuration
import EventLoop
import JOSE
import MQTT
import PostgreSQL
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

    @Option(
        name: .long,
        help: "An SQLite file, or postgresql://USER@HOST/NAME (default: obd.db).",
        completion: .file()
    )
    var database: String?

    @Option(name: .long, help: "A file with the password of the database.", completion: .file())
    var databasePasswordFile: String?

    @Option(name: .long, help: "How long records are kept, such as 400d (default: forever).")
    var keep: String?

    @Option(
        name: .long,
        help: "The private key that signs requests for missing records, a JWK file.",
        completion: .file()
    )
    var signingKey: String?

    @Option(
        name: .long,
        help: "A regular file for the metrics of Prometheus' node_exporter, written every 15 s.",
        completion: .file()
    )
    var metrics: String?

    @Option(name: .long, help: "The regular file of the state that --status reads.", completion: .file())
    var statusFile: String?

    @Option(name: .shortAndLong, help: "A configuration file, whose keys are these options.", completion: .file())
    var config: String?

    /// Returns the settings of options, environment and file; the former take precedence over the latter.
    func settings() throws -> CollectSettings {
        let file = try self.config.map { try CollectFile($0) } ?? CollectFile()
        let databaseValue = try file.value(.database, self.database)
        let database = try self.databaseChoice(databaseValue, file)
        let broker = try self.completedBroker(file)
        let (name, connection, prefix) = try broker.connection()
        let topics = FleetTopics(prefix: prefix)
        let share = try file.value(.share, self.share).map { value in
            let expected = "a name: one topic level without wildcards"
            return try value.parsed(expected, next: CollectKey.share.example) { Topic.isLevel($0) ? $0 : nil }
        }
        let clientID = try file.value(.clientID, self.clientID).map { value in
            let expected = "a client id of up to 128 letters, digits, - and _"
            return try value.parsed(expected, next: CollectKey.clientID.example, Self.clientID)
        }
        var options = broker.limited(connection)
        options.clientID =
            clientID ?? CollectSettings.clientID(database: database.identity, prefix: prefix.description, share: share)
        return CollectSettings(
            file: file.path,
            brokerName: name,
            brokerSettings: file.path == nil ? self.broker.settings : .collector,
            connection: options,
            passwordFile: broker.passwordFile,
            topics: topics,
            share: share,
            database: database,
            databasePlace: databaseValue?.place,
            timeout: broker.timeout,
            keep: try self.keepTime(file),
            key: try file.value(.signingKey, self.signingKey).map(Self.signingKey),
            metrics: try self.metricsFile(file),
            statusFile: try Self.writable(file.value(.statusFile, self.statusFile))?.text
                ?? CollectSettings.defaultStatusFile
        )
    }

    /// Returns the file of the state of the collector that runs.
    func presentStatusFile() throws -> String {
        let file = try self.config.map { try CollectFile($0) } ?? CollectFile()
        return try file.value(.statusFile, self.statusFile)?.text ?? CollectSettings.presentStatusFile
    }

    private func databaseChoice(_ value: CollectFile.Value?, _ file: CollectFile) throws -> DatabaseChoice {
        let password = try file.value(.databasePasswordFile, self.databasePasswordFile)
        guard let value else {
            if let password { throw password.failure("is set without a database", next: "database, too.") }
            return .sqlite(CollectSettings.defaultDatabase)
        }
        guard value.text.hasPrefix("postgresql://") || value.text.hasPrefix("postgres://") else {
            // The text is not shown: it may have a password.
            guard DatabaseChoice.isPath(value.text) else {
                throw value.failure(
                    "the value is neither the path of a file nor a URL of PostgreSQL",
                    next: "postgresql://USER@HOST/NAME, without a password; or the path of a file."
                )
            }
            if let password {
                throw password.failure("is set, but an SQLite file has no password", next: "the option removed.")
            }
            return .sqlite(value.text)
        }
        let target: PostgreSQLTarget
        do throws(PostgreSQLError) {
            target = try PostgreSQLTarget(value.text, name: DatabaseChoice.applicationName)
        } catch {
            throw value.failure("the URL can't be read: \(error.message)", next: "postgresql://USER@HOST/NAME.")
        }
        // Everybody on the machine can read a command line, and most can read the file.
        guard !target.hasSecret else {
            throw value.failure(
                "a URL must not contain a password",
                next: "database_password_file, PGPASSWORD or ~/.pgpass."
            )
        }
        return .postgreSQL(value.text, passwordFile: try Self.secret(password))
    }

    /// Returns the options of the broker; those that are missing come from the environment or the file.
    private func completedBroker(_ file: CollectFile) throws -> BrokerOptions {
        var broker = self.broker
        if let value = try file.value(.broker, broker.broker) {
            do throws(ValueError) {
                _ = try Configuration.Server(url: value.text)
            } catch {
                throw value.failure("\(error)", next: "mqtts://HOST, or mqtt://HOST in a private network.")
            }
            broker.broker = value.text
        } else if let path = file.path {
            throw CommandFailure(.configuration, "\(path): broker is missing", next: "broker = \"mqtts://HOST\"")
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
        if broker.username == nil, let value = try file.value(.passwordFile, broker.passwordFile) {
            throw value.failure("is set without a user name", next: "username, too.")
        }
        if broker.broker?.hasPrefix("mqtt://") == true { try Self.checkUnencrypted(file, broker) }
        broker.passwordFile = try Self.secret(file.value(.passwordFile, broker.passwordFile))
        broker.caFile = try Self.readable(file.value(.caFile, broker.caFile))
        broker.certificateFile = try Self.readable(file.value(.certificateFile, broker.certificateFile))
        broker.keyFile = try Self.readable(file.value(.keyFile, broker.keyFile))
        broker.timeout = try self.timeLimit(file)
        return broker
    }

    /// Returns the longest time to connect.
    private func timeLimit(_ file: CollectFile) throws -> TimeSpan? {
        guard let value = try file.value(.timeout, self.broker.timeout?.description) else { return nil }
        return try value.parsed("a time of at least 1s", next: CollectKey.timeout.example) { text in
            TimeSpan(text).flatMap { $0.duration >= .seconds(1) ? $0 : nil }
        }
    }

    private func keepTime(_ file: CollectFile) throws -> Duration? {
        guard let value = try file.value(.keep, self.keep) else { return nil }
        let span = try value.parsed("a time such as 400d", next: CollectKey.keep.example) { TimeSpan($0) }
        guard span.duration >= Self.shortestKeep else {
            // A number without a unit counts seconds.
            let days = value.text.allSatisfy(\.isNumber) ? "\(value.text)d" : CollectKey.keep.example
            throw value.failure("\(value.text) is less than a day", next: days)
        }
        return span.duration
    }

    private func metricsFile(_ file: CollectFile) throws -> String? {
        guard let value = try Self.writable(file.value(.metrics, self.metrics)) else { return nil }
        guard value.text.hasSuffix(".prom") else {
            throw value.failure(
                "\(value.text) does not end in .prom, so node_exporter would never read it",
                next: "\(value.text).prom"
            )
        }
        return value.text
    }

    private static func signingKey(_ value: CollectFile.Value) throws -> JSONWebKey {
        do {
            return try KeyFile.read(value.text)
        } catch let error as CommandFailure {
            throw CommandFailure(.configuration, lines: ["\(value.place): \(error)"])
        }
    }

    /// Refuses settings of TLS for a connection without it, which would be ignored.
    private static func checkUnencrypted(_ file: CollectFile, _ broker: BrokerOptions) throws {
        let values = [
            try file.value(.caFile, broker.caFile), try file.value(.certificateFile, broker.certificateFile),
            try file.value(.keyFile, broker.keyFile),
        ]
        for case let value? in values where !value.isOfEnvironment {
            throw value.failure("is set, but mqtt:// has no TLS", next: "mqtts:// in broker, or this setting removed.")
        }
    }

    /// Returns the file, which must be a regular one if it exists: a device would become a file.
    private static func writable(_ value: CollectFile.Value?) throws -> CollectFile.Value? {
        guard let value, let present = FileStatus(value.text), !present.isRegular else { return value }
        throw value.failure(
            "\(value.text) is \(present.words), and only a regular file is written",
            next: "another file."
        )
    }

    private static func readable(_ value: CollectFile.Value?) throws -> String? {
        guard let value else { return nil }
        if let problem = TextFile.problem(reading: value.text) {
            throw value.fileFailure(
                "\(value.text) can't be read: \(problem)",
                next: "a file that is there, and that this user may read."
            )
        }
        return value.text
    }

    /// Returns the file of a password, which must not be empty.
    private static func secret(_ value: CollectFile.Value?) throws -> String? {
        guard let value, let path = try Self.readable(value) else { return nil }
        guard TextFile.isRegular(path), let text = TextFile.read(path), !text.isEmpty else {
            throw value.fileFailure("\(path) has no password", next: "a file with the password on one line.")
        }
        return path
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
