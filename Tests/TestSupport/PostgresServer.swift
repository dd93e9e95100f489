// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import EventLoop
internal import Glibc

/// A PostgreSQL server on a socket in its own directory, which is killed with its last reference.
package final class PostgresServer: Sendable {
    /// The port: of the socket's name, and with certificates also of 127.0.0.1.
    package let port: UInt16
    private let directory: TemporaryDirectory
    private let server: Locked<ChildProcess>
    private let client: Program
    private let settings: [String]

    /// Creates a cluster, and starts a server on it.
    ///
    /// - Parameters:
    ///   - access: lines of `pg_hba.conf`, before the one that lets everybody in.
    ///   - settings: settings of the server, such as `max_connections=10`.
    ///   - certificates: lets the server listen on 127.0.0.1 too, over TLS.
    package init(
        access: [String] = [],
        settings: [String] = [],
        certificates: Certificates? = nil
    ) async throws {
        self.directory = try TemporaryDirectory()
        let path = self.directory.path
        self.client = try Program("psql", debianPackage: "postgresql")
        if geteuid() == 0 { try await Program("chown", debianPackage: "coreutils").run(["postgres", path]) }
        let (initdb, options) = try Self.command(
            "initdb",
            ["-D", "\(path)/data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]
        )
        try await initdb.run(options)
        if !access.isEmpty {
            let lines = access + ["local all all trust"]
            try self.directory.write(lines.map { $0 + "\n" }.joined(), to: "data/pg_hba.conf")
        }
        guard let certificates else {
            (self.port, self.settings) = (5432, settings)
            self.server = Locked(try await Self.started(in: path, self.port, settings))
            return
        }
        self.settings = settings + (try await Self.settings(of: certificates, in: self.directory))
        // Another process may take a free port before the server listens on it.
        for _ in 0..<3 {
            let port = try Loopback.freePort()
            if let server = try? await Self.started(in: path, port, self.settings) {
                (self.port, self.server) = (port, Locked(server))
                return
            }
        }
        self.port = try Loopback.freePort()
        self.server = Locked(try await Self.started(in: path, self.port, self.settings))
    }

    /// Returns the settings for TLS, with copies of the files, because the server runs as a user of its own.
    private static func settings(
        of certificates: Certificates,
        in directory: TemporaryDirectory
    ) async throws -> [String] {
        var settings = ["listen_addresses=127.0.0.1", "ssl=on"]
        for (name, file) in [
            ("ssl_ca_file", certificates.caFile), ("ssl_cert_file", certificates.serverCertificateFile),
            ("ssl_key_file", certificates.serverKeyFile),
        ] {
            let copy = try directory.write((TextFile.read(file) ?? "") + "\n", to: name)
            if geteuid() == 0 { try await Program("chown", debianPackage: "coreutils").run(["postgres", copy]) }
            settings.append("\(name)=\(copy)")
        }
        return settings
    }

    /// Returns the connection text of a database for libpq.
    package func address(of database: String = "postgres", user: String = "postgres") -> String {
        "host=\(self.directory.path) port=\(self.port) user=\(user) dbname=\(database)"
    }

    /// Runs statements, or commands of psql, one after the other.
    ///
    /// - Returns: the lines of the answers, with `|` between the columns.
    @discardableResult
    package func run(_ statements: [String], in database: String = "postgres") async throws -> [String] {
        try await self.client.run(
            ["-h", self.directory.path, "-p", "\(self.port)", "-U", "postgres", "-d", database]
                + ["-X", "-A", "-t", "-v", "ON_ERROR_STOP=1"] + statements.flatMap { ["-c", $0] }
        )
    }

    /// Stops the server: connections end, and transactions roll back.
    package func stop() async throws {
        let server = self.server.withLock { $0 }
        server.signal(SIGINT)
        _ = try await server.exitStatus()
    }

    /// Starts the server again after ``stop()``.
    package func start() async throws {
        let server = try await Self.started(in: self.directory.path, self.port, self.settings)
        self.server.withLock { $0 = server }
    }

    private static func started(in path: String, _ port: UInt16, _ settings: [String]) async throws -> ChildProcess {
        let (postgres, arguments) = try Self.command(
            "postgres",
            ["-D", "\(path)/data", "-k", path, "-p", "\(port)", "-c", "listen_addresses=", "-c", "fsync=off"]
                + settings.flatMap { ["-c", $0] }
        )
        let server = try ChildProcess(postgres, arguments)
        let errors = server.errors
        let isReady = try await within("PostgreSQL starts") {
            for await line in errors where line.contains("ready to accept connections") { return true }
            return false
        }
        guard isReady else { throw SystemError("postgres", ESRCH) }
        return server
    }

    /// Returns a program of the server with its arguments; as `postgres` for root, whom PostgreSQL refuses.
    private static func command(_ name: String, _ arguments: [String]) throws -> (Program, [String]) {
        let folder = try Self.newestFolder()
        guard geteuid() == 0 else { return (Program(path: "\(folder)/\(name)"), arguments) }
        let setpriv = try Program("setpriv", debianPackage: "util-linux")
        let user = ["--reuid=postgres", "--regid=postgres", "--clear-groups"]
        return (setpriv, user + ["\(folder)/\(name)"] + arguments)
    }

    /// Returns the directory of the newest server, because Debian keeps one directory for each version.
    private static func newestFolder() throws -> String {
        for version in (12...30).reversed() {
            let folder = "/usr/lib/postgresql/\(version)/bin"
            if unsafe access("\(folder)/postgres", X_OK) == 0 { return folder }
        }
        let path = try Program("postgres", debianPackage: "postgresql").path
        return path.split(separator: "/").dropLast().map { "/\($0)" }.joined()
    }
}
