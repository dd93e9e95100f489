// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The current row of a result; invalid after the callback that received it.
///
/// Its methods return `nil` for a column of another type and for a column that does not exist: the file is untrusted.
@safe
package struct Row {
    private let statement: OpaquePointer

    init(statement: OpaquePointer) {
        unsafe self.statement = unsafe statement
    }

    /// Returns the integer in a column; the first column is 0.
    package func integer(_ column: Int32) -> Int64? {
        unsafe sqlite3_column_type(self.statement, column) == SQLITE_INTEGER
            ? unsafe sqlite3_column_int64(self.statement, column) : nil
    }

    /// Returns the floating-point number in a column.
    package func real(_ column: Int32) -> Double? {
        unsafe sqlite3_column_type(self.statement, column) == SQLITE_FLOAT
            ? unsafe sqlite3_column_double(self.statement, column) : nil
    }

    /// Returns the text in a column, or `nil` if it is not UTF-8.
    package func text(_ column: Int32) -> String? {
        guard unsafe sqlite3_column_type(self.statement, column) == SQLITE_TEXT else { return nil }
        return String(validating: self.bytes(column), as: UTF8.self)
    }

    /// Returns the bytes in a column.
    package func blob(_ column: Int32) -> [UInt8]? {
        unsafe sqlite3_column_type(self.statement, column) == SQLITE_BLOB ? self.bytes(column) : nil
    }

    private func bytes(_ column: Int32) -> [UInt8] {
        // Asks for the address first, because that call may change the length.
        guard let start = unsafe sqlite3_column_blob(self.statement, column) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(self.statement, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}
