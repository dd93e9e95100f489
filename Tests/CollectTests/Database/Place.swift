// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import PostgreSQL
import TestSupport
import Testing

@testable import Collect

/// A PostgreSQL server for all tests of a suite.
struct ServerTrait: SuiteTrait, TestScoping {
    @TaskLocal static var server: PostgresServer?

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let server = try await PostgresServer()
        try await Self.$server.withValue(server) { try await function() }
        try await server.stop()
    }
}

extension Trait where Self == ServerTrait {
    static var server: ServerTrait { ServerTrait() }
}

/// A new database for one test, empty and without a schema.
struct Place: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case sqlite, postgreSQL
    }

    private static let count = Locked(0)

    let kind: Kind
    let directory: TemporaryDirectory
    private let server: PostgresServer?
    /// The name of the database on the server.
    let name: String

    init(_ kind: Kind) async throws {
        self.kind = kind
        self.directory = try TemporaryDirectory()
        switch kind {
        case .postgreSQL:
            let server: PostgresServer = try #require(ServerTrait.server)
            self.server = server
        case .sqlite: self.server = nil
        }
        let number = Self.count.withLock { count in
            count += 1
            return count
        }
        self.name = "test\(number)"
        try await self.server?.run(["CREATE DATABASE \(self.name)"])
    }

    /// The path of the file.
    var path: String { "\(self.directory.path)/fleet.db" }

    /// Creates a collector's access to the database; nothing is open yet.
    func collector(
        timeouts: PostgreSQLTimeouts = PostgreSQLTimeouts(),
        interrupt: PollInterrupt = PollInterrupt()
    ) throws -> Collector {
        guard let server = self.server else { return Collector(path: self.path, in: self.directory) }
        let target = try PostgreSQLTarget(server.address(of: self.name), name: "test")
        return Collector(target, timeouts, interrupt)
    }

    /// Returns the lines of an answer, with `|` between the columns, by the database's own tool.
    @discardableResult
    func query(_ sql: String...) async throws -> [String] {
        if let server = self.server { return try await server.run(sql, in: self.name) }
        return try await Program("sqlite3", debianPackage: "sqlite3").run([self.path] + sql)
    }
}

/// A collector's database on a thread of its own, because its calls block.
actor Collector {
    private let thread = SerialThread(named: "collector")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe self.thread.asUnownedSerialExecutor() }
    private let database: any CollectDatabase

    /// Keeps the directory, which is removed with its last reference.
    private let directory: TemporaryDirectory?

    init(path: String, in directory: TemporaryDirectory? = nil) {
        self.database = SQLiteCollectDatabase(path)
        self.directory = directory
    }

    init(_ target: PostgreSQLTarget, _ timeouts: PostgreSQLTimeouts, _ interrupt: PollInterrupt) {
        self.database = PostgreSQLCollectDatabase(target, timeouts: timeouts, interrupt: interrupt)
        self.directory = nil
    }

    func perform<Result: Sendable>(_ body: @Sendable (any CollectDatabase) throws -> Result) rethrows -> Result {
        try body(self.database)
    }

    /// Runs `body` as a transaction; after an error nothing of it is left.
    @discardableResult
    func transaction<Result: Sendable>(_ body: @Sendable (any CollectDatabase) throws -> Result) throws -> Result {
        try self.database.begin()
        let result = try body(self.database)
        try self.database.commit()
        return result
    }

    /// Returns the error of a transaction.
    func error(_ body: @Sendable (any CollectDatabase) throws -> Void) -> CollectError? {
        do { try self.transaction(body) } catch { return error as? CollectError }
        return nil
    }
}

extension CollectError {
    /// The kinds of errors, without their texts.
    enum Kind: Hashable {
        case unreachable, refused, full, conflict, invalid
    }

    var kind: Kind {
        switch self {
        case .unreachable: .unreachable
        case .refused: .refused
        case .full: .full
        case .conflict: .conflict
        case .invalid: .invalid
        }
    }
}
