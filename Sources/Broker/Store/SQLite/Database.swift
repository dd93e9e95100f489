// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// One connection to a database file.
///
/// It belongs to one owner, an actor say: neither it nor its statements are for two threads at a time.
@safe
package final class Database {
    /// How a file is opened.
    package enum Mode: Sendable {
        /// Nothing is written; the file must be there.
        case readOnly
        /// The file is made if it is not there.
        case readWrite
    }

    private let handle: OpaquePointer
    /// Statements by their SQL: prepared once.
    private var statements: [String: Statement] = [:]

    /// Opens a file.
    ///
    /// SQLite reads nothing of it before the first statement: whether it is a database shows then.
    ///
    /// - Parameter patience: how long a statement waits for another process that holds the file, in milliseconds.
    package init(_ path: String, _ mode: Mode = .readWrite, patience: Int32 = 2000) throws(SQLiteError) {
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
        unsafe sqlite3_busy_timeout(opened, patience)
        // What is in a file may be anything: nothing in its schema runs, and no page is believed before it was looked at
        // (https://sqlite.org/security.html).
        for (option, isOn) in [
            (SQLITE_DBCONFIG_DEFENSIVE, true), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
            (SQLITE_DBCONFIG_ENABLE_TRIGGER, false), (SQLITE_DBCONFIG_ENABLE_VIEW, false),
        ] { unsafe CSQLite_set(opened, option, isOn ? 1 : 0) }
        for pragma in ["cell_size_check = ON", "mmap_size = 0"] { try self.run("PRAGMA \(pragma)") }
    }

    deinit {
        self.statements = [:]
        // The last connection to a file in WAL mode also puts the log into the file, and removes it.
        unsafe sqlite3_close_v2(self.handle)
    }

    /// Runs a statement to its end.
    ///
    /// - Parameters:
    ///   - values: for its parameters, in order; as many as there are.
    ///   - row: called for each row of the result; the row is gone after it.
    package func run(
        _ sql: String,
        _ values: [Value] = [],
        row: (Row) -> Void = { _ in }
    ) throws(SQLiteError) {
        let statement = try self.prepared(sql)
        defer { statement.reset() }
        try statement.bind(values)
        while try statement.step() { row(statement.row) }
    }

    /// The first column of the first row, where it is a number.
    package func integer(_ sql: String, _ values: [Value] = []) throws(SQLiteError) -> Int64? {
        var result: Int64?
        try self.run(sql, values) { row in result = result ?? row.integer(0) }
        return result
    }

    /// Runs `body` as one transaction: all of it, or nothing.
    package func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try self.run("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            let result = try body()
            try self.run("COMMIT")
            return result
        } catch {
            // Some errors have rolled back already.
            if unsafe sqlite3_get_autocommit(self.handle) == 0 { try? self.run("ROLLBACK") }
            throw error
        }
    }

    /// How many rows the last statement has inserted, changed or deleted.
    package var changes: Int { Int(unsafe sqlite3_changes64(self.handle)) }

    private func prepared(_ sql: String) throws(SQLiteError) -> Statement {
        if let statement = self.statements[sql] { return statement }
        let statement = unsafe try Statement(sql, self.handle)
        self.statements[sql] = statement
        return statement
    }
}
