// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import SQLite

/// A file with a fleet's records, written by one collector; others may read it at any time.
///
/// Committed records survive a power cut: SQLite writes a log and syncs it at each commit (`synchronous = FULL`). A file
/// that is deleted or replaced meanwhile is noticed: what the path does not show counts as not committed.
package final class SQLiteCollectDatabase: CollectDatabase {
    private let path: String
    private(set) var database: Database?
    /// The lock on a file beside the database: a second collector must not wait for the first, but say so.
    private var lock: DirectoryLock?
    /// The files that were open last: the database, its log and the lock.
    private var place: SQLiteFilePlace?

    /// - Parameter path: the path of the file; it is created if it is missing.
    package init(_ path: String) {
        self.path = path
    }

    package func open() throws(CollectError) {
        self.database = nil
        try self.acquireLock()
        do throws(SQLiteError) {
            self.database = try Database(self.path, busyTimeout: .seconds(10))
        } catch {
            throw .refused("\(error). Try: the path of a file, in a folder that exists and that this user may write")
        }
        do throws(CollectError) {
            // First, because the file may be another program's.
            try self.migrate()
            try self.perform { database throws(SQLiteError) in
                try database.run("PRAGMA journal_mode = WAL")
                try database.run("PRAGMA synchronous = FULL")
                // 32 MiB for the pages of the index that the next samples need.
                try database.run("PRAGMA cache_size = -32768")
                // Opens the log, so that its identity is known.
                _ = try database.integer("SELECT count(*) FROM meta")
            }
            self.place = SQLiteFilePlace(self.path)
            try self.checkPlace()
        } catch {
            self.database = nil
            throw error
        }
    }

    /// Fails if the path does not show the open files any more, and closes them.
    private func checkPlace() throws(CollectError) {
        guard let database = self.database, let place = self.place else { return }
        let missing = place.missing
        guard database.hasMoved || missing != nil else { return }
        self.rollback()
        if database.hasMoved || missing == self.path {
            // The log would be replayed into the new file of this name.
            _ = try? database.integer("PRAGMA wal_checkpoint(TRUNCATE)")
            place.removeLogs()
        }
        (self.database, self.place, self.lock) = (nil, nil, nil)
        throw .unreachable(
            "\(missing ?? self.path) was deleted, moved or replaced while it was open. The collector opens it anew"
        )
    }

    private func acquireLock() throws(CollectError) {
        guard self.lock == nil else { return }
        let lock: DirectoryLock?
        do throws(DirectoryLock.InUse) {
            lock = try DirectoryLock.acquire(file: "\(self.path).lock")
        } catch {
            throw .refused("\(error). Try: one collector for each file, or PostgreSQL for several")
        }
        guard let lock else {
            throw .refused("cannot create \(self.path).lock. Try: a folder that exists and that this user may write")
        }
        self.lock = lock
    }

    // MARK: - Schema

    private func migrate() throws(CollectError) {
        var newer: Int64?
        try self.perform { database throws(SQLiteError) in
            let hasTable = try database.integer(
                "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'"
            )
            var version: Int64 = 0
            if hasTable != nil {
                let text = "SELECT CAST(value AS INTEGER) FROM meta WHERE name = ?"
                version = try database.integer(text, [.text(DatabaseSchema.versionName)]) ?? -1
            }
            guard version >= 0, version <= DatabaseSchema.version else { return newer = version }
            guard version < DatabaseSchema.version else { return }
            try database.transaction { () throws(SQLiteError) in
                if version == 0 {
                    try database.run("CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT")
                }
                for statement in DatabaseSchema.sqlite.migrations.dropFirst(Int(version)).joined() {
                    try database.run(statement)
                }
                try database.run(
                    "INSERT OR REPLACE INTO meta VALUES (?, ?)",
                    [.text(DatabaseSchema.versionName), .text(String(DatabaseSchema.version))]
                )
            }
        }
        switch newer {
        case nil: return
        case .some(-1): throw .refused("\(self.path) is the database of another program. Try: a file of its own")
        case .some(let version): throw .newerSchema(version)
        }
    }

    // MARK: - Transactions

    package func begin() throws(CollectError) {
        self.rollback()
        try self.checkPlace()
        if self.database == nil { try self.open() }
        try self.perform { database throws(SQLiteError) in try database.run("BEGIN IMMEDIATE") }
    }

    package func commit() throws(CollectError) {
        guard self.database?.isInTransaction == true else { throw .conflict("no transaction is open") }
        try self.perform { database throws(SQLiteError) in try database.run("COMMIT") }
        try self.checkPlace()
    }

    package func rollback() {
        guard let database = self.database, database.isInTransaction else { return }
        // A closed connection rolls back by itself.
        do { try database.run("ROLLBACK") } catch { self.database = nil }
    }

    // MARK: - Rows

    package func insert(_ samples: [SampleRow]) throws(CollectError) {
        try self.perform { database throws(SQLiteError) in
            for sample in samples {
                try database.run(
                    "INSERT INTO samples (time, value, series, synchronised) VALUES (?, ?, ?, ?)",
                    [
                        .integer(sample.time), .real(sample.value), .integer(sample.series),
                        .integer(sample.isSynchronised ? 1 : 0),
                    ]
                )
            }
        }
    }

    package func insert(_ rows: [[ColumnValue]], into table: CollectTable) throws(CollectError) {
        guard !rows.isEmpty else { return }
        let names = table.columns.map(\.name).joined(separator: ", ")
        let marks = table.columns.map { _ in "?" }.joined(separator: ", ")
        let sql = "INSERT INTO \(table.rawValue) (\(names)) VALUES (\(marks))"
        try self.perform { database throws(SQLiteError) in
            for row in rows { try database.run(sql, row.map(SQLiteValue.init(column:))) }
            if table == .rejected {
                try database.run(
                    "DELETE FROM rejected WHERE id <= (SELECT max(id) FROM rejected) - ?",
                    [.integer(DatabaseSchema.rejectedLimit)]
                )
            }
        }
    }

    /// Runs `body`; after an error it ends the transaction, and opens the file anew next time if the disk failed.
    func perform<Result>(_ body: (Database) throws(SQLiteError) -> Result) throws(CollectError) -> Result {
        guard let database = self.database else { throw .unreachable("\(self.path) is not open") }
        do throws(SQLiteError) {
            return try body(database)
        } catch {
            self.rollback()
            if error.cause == .unwritable { self.database = nil }
            throw CollectError(error)
        }
    }
}

extension SQLiteValue {
    fileprivate init(column value: ColumnValue) {
        self =
            switch value {
            case .null: .null
            case .bool(let value): .integer(value ? 1 : 0)
            case .integer(let number): .integer(number)
            case .real(let number): .real(number)
            case .text(let text): .text(text)
            case .bytes(let bytes): .blob(bytes)
            case .time(let time): .integer(time.milliseconds)
            case .json(let text): .text(String(decoding: text, as: UTF8.self))
            }
    }
}
