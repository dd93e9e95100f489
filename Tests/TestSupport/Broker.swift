// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import EventLoop
internal import Glibc

/// A real Mosquitto on free ports of 127.0.0.1, which is killed with its last reference.
package final class Broker: Sendable {
    /// The options of the broker.
    package struct Options: Sendable {
        /// Names and passwords of the users; empty: anonymous clients may connect.
        package var users: [String: String]
        /// Adds a TLS listener with the certificate for `localhost`.
        package var certificates: Certificates?
        /// The certificate and key of the TLS listener; nil: those for `localhost`.
        package var serverCertificate: (certificateFile: String, keyFile: String)?
        /// Whether the TLS listener requires a client certificate.
        package var requiresClientCertificate: Bool
        /// Additional lines of `mosquitto.conf`.
        package var configuration: [String]
        /// The directory with the whole configuration of a fleet's broker: `mosquitto.conf` and `acl`.
        ///
        /// It has everything except users and certificates, which must be given. The plain listener is then the
        /// listener for people, over TLS.
        package var fleet: String?

        package init(
            users: [String: String] = [:],
            certificates: Certificates? = nil,
            serverCertificate: (certificateFile: String, keyFile: String)? = nil,
            requiresClientCertificate: Bool = false,
            configuration: [String] = [],
            fleet: String? = nil
        ) {
            self.users = users
            self.certificates = certificates
            self.serverCertificate = serverCertificate
            self.requiresClientCertificate = requiresClientCertificate
            self.configuration = configuration
            self.fleet = fleet
        }
    }

    /// The port of the plain listener.
    package var port: UInt16 { self.site.port }
    /// The port of the TLS listener, which exists only with certificates.
    package var tlsPort: UInt16 { self.site.tlsPort }
    private let site: Site
    private let process: Locked<ChildProcess?>

    /// Starts a broker, and waits until it listens.
    package init(_ options: Options = Options()) async throws {
        // Another process may take a free port before the broker listens on it.
        for _ in 0..<4 {
            let site = try await Site(options)
            if let child = try? await site.start() {
                self.site = site
                self.process = Locked(child)
                return
            }
        }
        self.site = try await Site(options)
        self.process = Locked(try await self.site.start())
    }

    /// Starts the broker again, on the same ports, after ``stop()`` or ``kill()``.
    package func restart() async throws {
        let child = try await self.site.start()
        self.process.withLock { $0 = child }
    }

    /// Stops the broker orderly, and waits until it has ended.
    package func stop() async throws {
        try await self.end(SIGTERM)
    }

    /// Kills the broker, and waits until it has ended.
    package func kill() async throws {
        try await self.end(SIGKILL)
    }

    private func end(_ signal: Int32) async throws {
        let child = self.process.withLock { process in
            defer { process = nil }
            return process
        }
        guard let child else { return }
        child.signal(signal)
        _ = try await within("the end of mosquitto") { try await child.exitStatus() }
    }
}

/// The ports and files of a broker.
private struct Site {
    let port: UInt16
    let tlsPort: UInt16
    private let options: Broker.Options
    private let directory: TemporaryDirectory

    init(_ options: Broker.Options) async throws {
        self.options = options
        self.directory = try TemporaryDirectory()
        self.port = try Loopback.freePort()
        self.tlsPort = try Loopback.freePort()
        try await self.writeFiles()
    }

    func start() async throws -> ChildProcess {
        let program = try Program("mosquitto", debianPackage: "mosquitto")
        let child = try ChildProcess(program, ["-c", "\(self.directory.path)/mosquitto.conf"])
        do {
            for port in self.options.certificates == nil ? [self.port] : [self.port, self.tlsPort] {
                try await Loopback.awaitListener(on: port, isHopeless: { !child.isRunning })
            }
            return child
        } catch {
            child.signal(SIGKILL)
            var log: [String] = []
            for await line in child.errors { log.append(line) }
            throw BrokerFailed(description: "\(error); mosquitto printed: \(log.joined(separator: " | "))")
        }
    }

    /// The `user` line of the configuration.
    ///
    /// Started by root, the broker would otherwise change to a user that cannot read this directory.
    private static var user: String { "user \(getuid() == 0 ? "root" : "nobody")" }

    private func writeFiles() async throws {
        if let fleet = self.options.fleet { return try await self.copy(fleet: fleet) }
        var lines = [
            Self.user, "persistence false", "log_dest stderr", "allow_anonymous \(self.options.users.isEmpty)",
        ]
        if !self.options.users.isEmpty { lines.append("password_file \(try await self.writeUsers())") }
        lines += self.options.configuration
        lines.append("listener \(self.port) 127.0.0.1")
        if let certificates = self.options.certificates {
            let (certificate, key) =
                self.options.serverCertificate ?? (certificates.serverCertificateFile, certificates.serverKeyFile)
            lines += [
                "listener \(self.tlsPort) 127.0.0.1",
                "cafile \(certificates.caFile)",
                "certfile \(certificate)",
                "keyfile \(key)",
                "require_certificate \(self.options.requiresClientCertificate)",
            ]
        }
        try self.directory.write(lines.joined(separator: "\n") + "\n", to: "mosquitto.conf")
    }

    private func writeUsers() async throws -> String {
        let file = try self.directory.write("", to: "users")
        for (name, password) in self.options.users {
            try await Program("mosquitto_passwd", debianPackage: "mosquitto").run(["-b", file, name, password])
        }
        return file
    }

    /// Copies the files, and replaces only paths, ports and the log.
    private func copy(fleet: String) async throws {
        guard let certificates = self.options.certificates,
            let configuration = TextFile.read("\(fleet)/mosquitto.conf"), let list = TextFile.read("\(fleet)/acl")
        else { throw BrokerFailed(description: "no certificates, or no mosquitto.conf and acl in \(fleet)") }
        let replacements = [
            ("/etc/mosquitto/certs/vehicles-ca.pem", certificates.caFile),
            ("/etc/mosquitto/certs/broker.pem", certificates.serverCertificateFile),
            ("/etc/mosquitto/certs/broker.key", certificates.serverKeyFile),
            ("/etc/mosquitto/passwords", try await self.writeUsers()),
            ("/etc/mosquitto/acl", try self.directory.write(list + "\n", to: "acl")),
            ("/var/lib/mosquitto/", "\(self.directory.path)/"),
            ("listener 8883\n", "listener \(self.tlsPort) 127.0.0.1\n"),
            ("listener 8884\n", "listener \(self.port) 127.0.0.1\n"),
            ("log_dest syslog", "log_dest stderr"),
        ]
        var lines = configuration
        for (original, replacement) in replacements {
            guard lines.contains(original) else { throw BrokerFailed(description: "no \(original) in mosquitto.conf") }
            lines = lines.replacing(original, with: replacement)
        }
        try self.directory.write("\(Self.user)\n\(lines)\n", to: "mosquitto.conf")
    }
}

/// The error of a Mosquitto that did not start.
package struct BrokerFailed: Error, CustomStringConvertible {
    package let description: String
}
