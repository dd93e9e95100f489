// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import PostgreSQL
import TestSupport
import Testing

/// A server for all tests of a suite.
struct ServerTrait: SuiteTrait, TestScoping {
    @TaskLocal static var server: PostgresServer?

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let server = try await PostgresServer(access: [
            "local all locked scram-sha-256", "local all refused reject",
        ])
        try await server.run([
            "CREATE ROLE locked LOGIN PASSWORD 'secret-word'", "CREATE ROLE refused LOGIN", "CREATE ROLE guest LOGIN",
        ])
        try await Self.$server.withValue(server) { try await function() }
        try await server.stop()
    }
}

extension Trait where Self == ServerTrait {
    static var server: ServerTrait { ServerTrait() }
}

/// A connection on a thread of its own, because its calls block.
actor Client {
    private let thread = SerialThread(named: "client")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe self.thread.asUnownedSerialExecutor() }
    private let connection: PostgreSQLConnection

    init(
        _ text: String,
        password: String? = nil,
        timeouts: PostgreSQLTimeouts = PostgreSQLTimeouts(),
        interrupt: PollInterrupt = PollInterrupt()
    ) throws {
        let target = try PostgreSQLTarget(text, password: password, name: "test")
        self.connection = try PostgreSQLConnection(target, timeouts: timeouts, interrupt: interrupt)
    }

    /// Connects to a database of the suite's server.
    init(
        to database: String = "postgres",
        timeouts: PostgreSQLTimeouts = PostgreSQLTimeouts(),
        interrupt: PollInterrupt = PollInterrupt()
    ) throws {
        let server = try #require(ServerTrait.server)
        try self.init(server.address(of: database), timeouts: timeouts, interrupt: interrupt)
    }

    func perform<Result: Sendable>(_ body: @Sendable (PostgreSQLConnection) throws -> Result) throws -> Result {
        try body(self.connection)
    }

    /// Returns the error of a statement.
    func error(_ sql: String) -> PostgreSQLError? {
        do throws(PostgreSQLError) { try self.connection.run(sql) } catch { return error }
        return nil
    }

    /// Returns the texts of the first row.
    func row(_ sql: String, _ values: [PostgreSQLValue] = [], columns: Int32 = 1) throws -> [String?] {
        var texts: [String?] = []
        try self.connection.run(sql, values) { row in texts = (0..<columns).map(row.text) }
        return texts
    }
}

/// Returns the error of an attempt to connect.
func connectError(_ text: String, password: String? = nil, timeouts: PostgreSQLTimeouts = PostgreSQLTimeouts()) async
    -> PostgreSQLError?
{
    await withCheckedContinuation { continuation in
        Thread.start(named: "connect") {
            do throws(PostgreSQLError) {
                let target = try PostgreSQLTarget(text, password: password, name: "test")
                _ = try PostgreSQLConnection(target, timeouts: timeouts, interrupt: PollInterrupt())
                continuation.resume(returning: nil)
            } catch {
                continuation.resume(returning: error)
            }
        }
    }
}
