// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// A prepared statement; it must be released before its database.
@safe
final class Statement {
    private let sql: String
    private let handle: OpaquePointer
    private let statement: OpaquePointer

    init(_ sql: String, _ handle: OpaquePointer) throws(SQLiteError) {
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement = unsafe statement else {
            // For empty SQL, SQLite returns neither a statement nor an error.
            throw unsafe SQLiteError(sql, code: code == SQLITE_OK ? SQLITE_MISUSE : code, handle)
        }
        self.sql = sql
        unsafe self.handle = handle
        unsafe self.statement = statement
    }

    deinit {
        unsafe sqlite3_finalize(self.statement)
    }

    /// Binds one value to each parameter, in order.
    func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
        guard unsafe sqlite3_bind_parameter_count(self.statement) == values.count else {
            throw unsafe SQLiteError(self.sql, code: SQLITE_RANGE, nil)
        }
        for (index, value) in zip(Int32(1)..., values) {
            let code = self.bind(value, at: index)
            guard code == SQLITE_OK else { throw unsafe SQLiteError(self.sql, code: code, self.handle) }
        }
    }

    private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        // SQLITE_TRANSIENT, a macro that Swift does not import: SQLite copies the value.
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null:
            return unsafe sqlite3_bind_null(self.statement, index)
        case .integer(let number):
            return unsafe sqlite3_bind_int64(self.statement, index, number)
        case .real(let number):
            return unsafe sqlite3_bind_double(self.statement, index, number)
        case .text(""):
            return unsafe sqlite3_bind_text(self.statement, index, "", 0, transient)
        case .text(var text):
            return text.withUTF8 { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self) { text in
                    unsafe sqlite3_bind_text64(
                        self.statement,
                        index,
                        text.baseAddress,
                        UInt64(text.count),
                        transient,
                        UInt8(SQLITE_UTF8)
                    )
                }
            }
        case .blob([]):
            // An empty array may have no address, and SQLite takes a null address for NULL.
            return unsafe sqlite3_bind_zeroblob(self.statement, index, 0)
        case .blob(let bytes):
            return unsafe bytes.withUnsafeBytes { bytes in
                unsafe sqlite3_bind_blob64(self.statement, index, bytes.baseAddress, UInt64(bytes.count), transient)
            }
        }
    }

    /// Advances to the next row; returns `false` after the last one.
    func step() throws(SQLiteError) -> Bool {
        switch unsafe sqlite3_step(self.statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw unsafe SQLiteError(self.sql, code: code, self.handle)
        }
    }

    /// Prepares the statement for its next run, and releases its locks and bound values.
    func reset() {
        unsafe sqlite3_reset(self.statement)
        unsafe sqlite3_clear_bindings(self.statement)
    }

    var row: Row { unsafe Row(statement: self.statement) }
}
