// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import Configuration
import EventLoop
import Glibc
package import MQTT
package import Base
package import Subscriber

extension TimeSpan: ExpressibleByArgument {}

/// Which broker, and as whom.
package struct BrokerOptions: ParsableArguments {
    @Option(name: .long, help: "The broker: mqtts://HOST:PORT, or mqtt:// in a network of one's own.")
    package var broker: String?

    @Option(name: .long, help: "The name at the broker.")
    package var username: String?

    @Option(name: .long, help: "A file with the password.")
    package var passwordFile: String?

    @Option(
        name: .long,
        help: "The authorities that the broker's certificate is held against; without it, the system's."
    )
    package var caFile: String?

    @Option(name: .long, help: "This client's certificate, for brokers that want one.")
    package var certificateFile: String?

    @Option(name: .long, help: "The private key to that certificate.")
    package var keyFile: String?

    @Option(name: .long, help: "What all topics begin with; obd unless told.")
    package var prefix: String?

    @Option(name: .long, help: "How long to wait at most: 30s, 5m, 2h.")
    package var timeout: TimeSpan?

    package init() {}

    /// The value of an option: of the command line, or else of the environment.
    package static func value(_ option: String?, _ name: String) -> String? {
        let set = unsafe getenv("OBD_AGENT_\(name)").map { unsafe String(cString: $0) }
        return (option ?? set).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The broker, not yet connected.
    package func remoteBroker() throws -> RemoteBroker {
        guard let url = Self.value(self.broker, "BROKER") else {
            throw CommandFailure(
                .usage,
                "--broker is missing: write --broker mqtts://HOST, or set OBD_AGENT_BROKER"
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
            throw CommandFailure(.usage, "--prefix: \(error)")
        }
        let password = try self.password()
        if !server.tls, !server.isLocal {
            Output.note("The connection to \(server.host) is not encrypted: use mqtts:// wherever the broker has it.")
        }
        let connection = ConnectionOptions(
            server: MQTT.Server(host: server.host, port: server.port, tls: server.tls ? try self.tls() : nil),
            clientID: Self.clientID,
            username: Self.value(self.username, "USERNAME"),
            password: password
        )
        return self.remoteBroker(named: "\(server)", connection, prefix: prefix)
    }

    /// A client identifier of this run only.
    package static var clientID: String { "obd-remote-\(String(UInt64.random(in: 0 ... .max), radix: 16))" }

    /// The broker of a connection, not yet connected.
    package func remoteBroker(named name: String, _ connection: ConnectionOptions, prefix: Topic) -> RemoteBroker {
        var options = connection
        if let timeout { options.connectTimeout = min(options.connectTimeout, max(timeout.duration, .seconds(1))) }
        return RemoteBroker(
            name: name,
            client: BrokerClient(
                options,
                clock: BootClock(),
                onDrop: { Output.note("\($0) messages of the broker were lost: too large, or too many at once") }
            ),
            topics: FleetTopics(prefix: prefix),
            timeout: self.timeout?.duration
        )
    }

    private func password() throws -> String? {
        guard let path = Self.value(self.passwordFile, "PASSWORD_FILE") else { return nil }
        guard Self.value(self.username, "USERNAME") != nil else {
            throw CommandFailure(.usage, "--password-file is given without --username: a broker wants both or none")
        }
        guard let password = TextFile.read(path), !password.isEmpty else {
            throw CommandFailure(.configuration, "--password-file: \(path) can't be read, or is empty")
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
                "\(option): \(path) can't be read: \(unsafe String(cString: strerror(errno)))"
            )
        }
        guard (files[1].0 == nil) == (files[2].0 == nil) else {
            throw CommandFailure(.usage, "--certificate-file and --key-file go together")
        }
        return TLS(caFile: files[0].0, certificateFile: files[1].0, keyFile: files[2].0)
    }
}
