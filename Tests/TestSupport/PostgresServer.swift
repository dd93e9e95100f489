// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import EventLoop
internal import Glibc

/// A PostgreSQL server for one test, on a socket in its own directory.
package final class PostgresServer: Sendable {
    private let directory: TemporaryDirectory
    private let server: ChildProcess
    private let client: Program

    /// Whether PostgreSQL is installed, which `scripts/install` does not do: Debian starts a server with it.
    package static var isInstalled: Bool {
        guard (try? Program("psql", debianPackage: "postgresql")) != nil else { return false }
        return (try? Self.newestFolder()) != nil
    }

    /// Creates a cluster, and starts a server on it.
    package init() async throws {
        self.directory = try TemporaryDirectory()
        let path = self.directory.path
        self.client = try Program("psql", debianPackage: "postgresql")
        let folder = try Self.newestFolder()
        // PostgreSQL refuses to run as root.
        var prefix: [String] = []
        if geteuid() == 0 {
            try await Program("chown", debianPackage: "coreutils").run(["postgres", path])
            prefix = ["--reuid=postgres", "--regid=postgres", "--clear-groups"]
        }
        func command(_ name: String, _ arguments: [String]) throws -> (Program, [String]) {
            guard !prefix.isEmpty else { return (Program(path: "\(folder)/\(name)"), arguments) }
            let setpriv = try Program("setpriv", debianPackage: "util-linux")
            return (setpriv, prefix + ["\(folder)/\(name)"] + arguments)
        }
        let (initdb, options) = try command(
            "initdb",
            ["-D", "\(path)/data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]
        )
        try await initdb.run(options)
        let (postgres, arguments) = try command(
            "postgres",
            ["-D", "\(path)/data", "-k", path, "-c", "listen_addresses=", "-c", "fsync=off"]
        )
        self.server = try ChildProcess(postgres, arguments)
        let errors = self.server.errors
        let isReady = try await within("PostgreSQL starts") {
            for await line in errors where line.contains("ready to accept connections") { return true }
            return false
        }
        guard isReady else { throw SystemError("postgres", ESRCH) }
    }

    /// Runs statements, or commands of psql, one after the other.
    ///
    /// - Returns: the lines of the answers, with `|` between the columns.
    package func run(_ statements: [String]) async throws -> [String] {
        try await self.client.run(
            ["-h", self.directory.path, "-U", "postgres", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
                + statements.flatMap { ["-c", $0] }
        )
    }

    /// Stops the server orderly.
    package func stop() async throws {
        self.server.signal(SIGINT)
        _ = try await self.server.exitStatus()
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
