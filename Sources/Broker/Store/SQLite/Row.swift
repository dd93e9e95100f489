// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The present row of a result; of no use after the call that it was given to.
///
/// A column of another type, or none, is nil: what is in a file may be anything.
@safe
package struct Row {
    private let statement: OpaquePointer

    init(statement: OpaquePointer) {
        unsafe self.statement = unsafe statement
    }

    /// The number in a column, the first being 0.
    package func integer(_ column: Int32) -> Int64? {
        unsafe sqlite3_column_type(self.statement, column) == SQLITE_INTEGER
            ? unsafe sqlite3_column_int64(self.statement, column) : nil
    }

    /// The text in a column; nil where it is no UTF-8.
    package func text(_ column: Int32) -> String? {
        guard unsafe sqlite3_column_type(self.statement, column) == SQLITE_TEXT else { return nil }
        return String(validating: self.bytes(column), as: UTF8.self)
    }

    /// The bytes in a column.
    package func blob(_ column: Int32) -> [UInt8]? {
        unsafe sqlite3_column_type(self.statement, column) == SQLITE_BLOB ? self.bytes(column) : nil
    }

    private func bytes(_ column: Int32) -> [UInt8] {
        // The address first: asking for it may change the length.
        guard let start = unsafe sqlite3_column_blob(self.statement, column) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(self.statement, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}
