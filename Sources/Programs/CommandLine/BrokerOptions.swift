// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import Base
import Configuration
import EventLoop
import Glibc
package import MQTT
package import Subscriber

extension TimeSpan: ExpressibleByArgument {}

/// The options of a connection to a broker.
package struct BrokerOptions: ParsableArguments {
    @Option(
        name: .long,
        help: "The broker: mqtts://HOST:PORT, or mqtt:// in a private network.",
        completion: .list(["mqtts://", "mqtt://"])
    )
    package var broker: String?

    @Option(name: .long, help: "The user name at the broker.")
    package var username: String?

    @Option(name: .long, help: "A file with the password.", completion: .file())
    package var passwordFile: String?

    @Option(
        name: .long,
        help: "The authorities that may sign the broker's certificate (default: the system's).",
        completion: .file()
    )
    package var caFile: String?

    @Option(
        name: .long,
        help: "This client's certificate, for brokers that require one.",
        completion: .file()
    )
    package var certificateFile: String?

    @Option(name: .long, help: "The private key of that certificate.", completion: .file())
    package var keyFile: String?

    @Option(name: .long, help: "The first levels of all topics (default: obd).")
    package var prefix: String?

    @Option(name: .long, help: "The longest time to wait, such as 30s, 5m or 2h.")
    package var timeout: TimeSpan?

    package init() {}

    /// Returns the value of an option, or of its environment variable if the option is missing.
    package static func value(_ option: String?, _ name: String) -> String? {
        let set = environmentVariable("OBD_AGENT_\(name)")
        return (option ?? set).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the access to the broker of these options.
    ///
    /// The access does not connect before its first use.
    package func brokerAccess() throws -> BrokerAccess {
        let (name, connection, prefix) = try self.connection()
        return self.brokerAccess(named: name, connection, prefix: prefix, settings: .options)
    }

    /// Returns the connection to the broker of these options, with the broker's URL and the prefix of all topics.
    package func connection() throws -> (name: String, options: ConnectionOptions, prefix: Topic) {
        guard let url = Self.value(self.broker, "BROKER") else {
            throw CommandFailure(
                .usage,
                "--broker is missing",
                next: "--broker mqtts://HOST, or set OBD_AGENT_BROKER."
            )
        }
        let server: Configuration.Server
        do {
            server = try Configuration.Server(url: url)
        } catch {
            throw CommandFailure(.usage, "--broker: \(error)")
        }
        let prefix: Topic
        do {
            prefix = try Topic(Self.value(self.prefix, "PREFIX") ?? "obd")
        } catch {
            throw CommandFailure(.usage, "--prefix: \(error)", next: "the value of the agent's [mqtt] topic_prefix.")
        }
        let password = try self.password()
        if !server.tls, !server.isLocal {
            Output.note("The connection to \(server.host) is not encrypted. Try: mqtts://, if the broker supports it.")
        }
        let options = ConnectionOptions(
            server: MQTT.Server(host: server.host, port: server.port, tls: server.tls ? try self.tls() : nil),
            clientID: Self.clientID,
            username: Self.value(self.username, "USERNAME"),
            password: password
        )
        return ("\(server)", options, prefix)
    }

    /// A random client identifier for this run.
    package static var clientID: String { "obd-remote-\(String(UInt64.random(in: 0 ... .max), radix: 16))" }

    /// Returns the access to the broker of a connection.
    ///
    /// The access does not connect before its first use.
    ///
    /// - Parameter settings: the place of the connection's settings, for errors.
    package func brokerAccess(
        named name: String,
        _ connection: ConnectionOptions,
        prefix: Topic,
        settings: BrokerSettings
    ) -> BrokerAccess {
        BrokerAccess(
            name: name,
            client: BrokerClient(
                self.limited(connection),
                clock: BootClock(),
                onDrop: { Output.note("\($0) messages of the broker were dropped: too large, or too many at once") }
            ),
            topics: FleetTopics(prefix: prefix),
            settings: settings,
            timeout: self.timeout?.duration
        )
    }

    /// Returns the options with `--timeout` as the limit of their own timeout.
    package func limited(_ connection: ConnectionOptions) -> ConnectionOptions {
        var options = connection
        if let timeout { options.connectTimeout = min(options.connectTimeout, max(timeout.duration, .seconds(1))) }
        return options
    }

    private func password() throws -> String? {
        guard let path = Self.value(self.passwordFile, "PASSWORD_FILE") else { return nil }
        guard Self.value(self.username, "USERNAME") != nil else {
            throw CommandFailure(.usage, "--password-file is set without --username", next: "--username NAME, too.")
        }
        guard let password = TextFile.read(path), !password.isEmpty else {
            throw CommandFailure(
                .configuration,
                "--password-file: \(path) can't be read, or is empty",
                next: "a file that has the password and that this user may read."
            )
        }
        return password
    }

    private func tls() throws -> TLS {
        let files = [
            (Self.value(self.caFile, "CA_FILE"), "--ca-file"),
            (Self.value(self.certificateFile, "CERTIFICATE_FILE"), "--certificate-file"),
            (Self.value(self.keyFile, "KEY_FILE"), "--key-file"),
        ]
        for case (let path?, let option) in files where unsafe access(path, R_OK) != 0 {
            throw CommandFailure(
                .configuration,
                "\(option): \(path) can't be read: \(unsafe String(cString: strerror(errno)))",
                next: "the path of a PEM file that this user may read."
            )
        }
        guard (files[1].0 == nil) == (files[2].0 == nil) else {
            throw CommandFailure(
                .usage,
                "only one of --certificate-file and --key-file is set",
                next: "both of them, or neither."
            )
        }
        return TLS(caFile: files[0].0, certificateFile: files[1].0, keyFile: files[2].0)
    }
}
