// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import CPostgreSQL

/// The current row of a result; invalid after the callback that received it.
@safe
package struct PostgreSQLRow {
    private let result: OpaquePointer
    private let row: Int32

    init(_ result: OpaquePointer, _ row: Int32) {
        unsafe self.result = unsafe result
        self.row = row
    }

    /// Returns the text of a column, from 0 on; nil for NULL and for a column that does not exist.
    package func text(_ column: Int32) -> String? {
        let columns = unsafe PQnfields(self.result)
        guard 0..<columns ~= column, unsafe PQgetisnull(self.result, self.row, column) == 0,
            let start = unsafe PQgetvalue(self.result, self.row, column)
        else { return nil }
        let count = Int(unsafe PQgetlength(self.result, self.row, column))
        return unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// Returns the integer in a column; nil for NULL and for anything else.
    package func integer(_ column: Int32) -> Int64? { self.text(column).flatMap { Int64($0) } }

    /// Returns the boolean in a column; nil for NULL and for anything else.
    package func boolean(_ column: Int32) -> Bool? {
        switch self.text(column) {
        case "t": true
        case "f": false
        default: nil
        }
    }
}
