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

    /// The names of the settings of these options, for errors.
    package var settings: BrokerSettings {
        let values = [
            OptionValue(self.broker, of: "--broker"), OptionValue(self.username, of: "--username"),
            OptionValue(self.passwordFile, of: "--password-file"), OptionValue(self.caFile, of: "--ca-file"),
            OptionValue(self.certificateFile, of: "--certificate-file"), OptionValue(self.keyFile, of: "--key-file"),
        ]
        return .options(values.compactMap(\.self))
    }

    /// Returns the access to the broker of these options.
    ///
    /// The access does not connect before its first use.
    package func brokerAccess() throws -> BrokerAccess {
        let (name, connection, prefix) = try self.connection()
        return self.brokerAccess(named: name, connection, prefix: prefix, settings: self.settings)
    }

    /// Returns the connection to the broker of these options, with the broker's URL and the prefix of all topics.
    package func connection() throws -> (name: String, options: ConnectionOptions, prefix: Topic) {
        guard let url = OptionValue(self.broker, of: "--broker") else {
            throw CommandFailure(
                .usage,
                "--broker is missing",
                next: "--broker mqtts://HOST, or set OBD_AGENT_BROKER."
            )
        }
        let server: Configuration.Server
        do {
            server = try Configuration.Server(url: url.text)
        } catch {
            throw CommandFailure(.usage, "\(url.name): \(error)")
        }
        let prefix: Topic
        let prefixValue = OptionValue(self.prefix, of: "--prefix")
        do {
            prefix = try Topic(prefixValue?.text ?? "obd")
        } catch {
            throw CommandFailure(
                .usage,
                "\(prefixValue?.name ?? "--prefix"): \(error)",
                next: "the value of the agent's [mqtt] topic_prefix."
            )
        }
        let password = try self.password()
        if !server.tls, !server.isLocal {
            Output.note("The connection to \(server.host) is not encrypted. Try: mqtts://, if the broker supports it.")
        }
        let options = ConnectionOptions(
            server: MQTT.Server(host: server.host, port: server.port, tls: server.tls ? try self.tls() : nil),
            clientID: Self.clientID,
            username: OptionValue(self.username, of: "--username")?.text,
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
        guard let file = OptionValue(self.passwordFile, of: "--password-file") else { return nil }
        guard OptionValue(self.username, of: "--username") != nil else {
            throw CommandFailure(.usage, "\(file.name) is set without --username", next: "--username NAME, too.")
        }
        guard let password = TextFile.read(file.text), !password.isEmpty else {
            throw CommandFailure(
                .configuration,
                "\(file.name): \(file.text) can't be read, or is empty",
                next: "a file that has the password and that this user may read."
            )
        }
        return password
    }

    private func tls() throws -> TLS {
        let authorities = OptionValue(self.caFile, of: "--ca-file")
        let certificate = OptionValue(self.certificateFile, of: "--certificate-file")
        let key = OptionValue(self.keyFile, of: "--key-file")
        for case let file? in [authorities, certificate, key] where unsafe access(file.text, R_OK) != 0 {
            throw CommandFailure(
                .configuration,
                "\(file.name): \(file.text) can't be read: \(unsafe String(cString: strerror(errno)))",
                next: "the path of a PEM file that this user may read."
            )
        }
        guard (certificate == nil) == (key == nil) else {
            let missing = certificate == nil ? "--certificate-file" : "--key-file"
            throw CommandFailure(
                .usage,
                "\((certificate ?? key)?.name ?? "") is set without \(missing)",
                next: "both of them, or neither."
            )
        }
        return TLS(caFile: authorities?.text, certificateFile: certificate?.text, keyFile: key?.text)
    }
}
