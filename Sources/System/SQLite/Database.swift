// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc

/// A connection to a database file.
///
/// A connection has one owner, such as an actor: two threads must not use it or its statements at the same time.
@safe
package final class Database {
    /// The access to the file.
    package enum Mode: Sendable {
        /// Only reads; the file must exist.
        case readOnly
        /// Reads and writes; the file is created if it does not exist, and only its owner may read it then.
        case readWrite
    }

    private let handle: OpaquePointer
    /// The prepared statements by their SQL; each is prepared once.
    private var statements: [String: Statement] = [:]

    /// Opens a file.
    ///
    /// SQLite does not read the file before the first statement, so a file that is no database fails only then.
    ///
    /// - Parameter busyTimeout: the longest time that a statement waits for a lock of another process.
    package init(
        _ path: String,
        _ mode: Mode = .readWrite,
        busyTimeout: Duration = .seconds(2)
    ) throws(SQLiteError) {
        if mode == .readWrite { Self.create(path) }
        let flags: Int32 =
            switch mode {
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        var handle: OpaquePointer?
        let code = unsafe sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened = unsafe handle else {
            let error = unsafe SQLiteError("open \(path)", code: code, handle)
            unsafe sqlite3_close_v2(handle)
            throw error
        }
        unsafe self.handle = opened
        unsafe sqlite3_extended_result_codes(opened, 1)
        unsafe sqlite3_busy_timeout(opened, Int32(clamping: Int64(busyTimeout / .milliseconds(1))))
        // The file is untrusted: no trigger or view of its schema runs, and each page is checked before it is used
        // (https://sqlite.org/security.html).
        for (option, isOn) in [
            (SQLITE_DBCONFIG_DEFENSIVE, true), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
            (SQLITE_DBCONFIG_ENABLE_TRIGGER, false), (SQLITE_DBCONFIG_ENABLE_VIEW, false),
        ] { unsafe CSQLite_set(opened, option, isOn ? 1 : 0) }
        for pragma in ["cell_size_check = ON", "mmap_size = 0"] { try self.run("PRAGMA \(pragma)") }
    }

    deinit {
        self.statements = [:]
        // In WAL mode, closing the last connection also copies the log into the database file and removes the log.
        unsafe sqlite3_close_v2(self.handle)
    }

    /// Creates a missing file that only its owner may read and write; SQLite gives the logs beside it the same mode.
    ///
    /// A file that exists is not opened here: to close it would end this process's locks on it. If the file cannot be
    /// created, SQLite reports the reason.
    private static func create(_ path: String) {
        guard unsafe access(path, F_OK) != 0 else { return }
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { _ = close(descriptor) }
    }

    /// Runs a statement until it has returned all rows.
    ///
    /// - Parameters:
    ///   - values: one value for each parameter, in order.
    ///   - row: called for each row of the result; the row is invalid after the call.
    package func run(
        _ sql: String,
        _ values: [SQLiteValue] = [],
        row: (Row) -> Void = { _ in }
    ) throws(SQLiteError) {
        let statement = try self.prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        while try statement.step() { row(statement.row) }
    }

    /// Returns the first column of the first row, or `nil` if there is no row or it is no integer.
    package func integer(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> Int64? {
        var result: Int64?
        try self.run(sql, values) { row in result = result ?? row.integer(0) }
        return result
    }

    /// Runs `body` as one transaction, and rolls it back if `body` throws.
    package func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try self.run("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            let result = try body()
            try self.run("COMMIT")
            return result
        } catch {
            if self.isInTransaction { try? self.run("ROLLBACK") }
            throw error
        }
    }

    /// Whether a transaction is open; after some errors SQLite has rolled it back by itself.
    package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(self.handle) == 0 }

    /// Whether the file has been deleted, moved or replaced since it was opened, so that its path does not lead to it.
    package var hasMoved: Bool {
        var answer: Int32 = 0
        let code = unsafe sqlite3_file_control(self.handle, "main", SQLITE_FCNTL_HAS_MOVED, &answer)
        return code == SQLITE_OK && answer != 0
    }

    /// The number of rows that the last statement inserted, changed or deleted.
    package var changes: Int { Int(unsafe sqlite3_changes64(self.handle)) }

    private func prepared(_ sql: String) throws(SQLiteError) -> Statement {
        if let statement = self.statements[sql] { return statement }
        let statement = unsafe try Statement(sql, self.handle)
        self.statements[sql] = statement
        return statement
    }
}
