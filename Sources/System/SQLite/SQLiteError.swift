// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// An error of SQLite.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The operation that failed: `open /var/lib/…`, or the SQL.
    package let operation: String
    /// The extended result code (https://sqlite.org/rescode.html).
    package let code: Int32
    /// The error message of SQLite.
    package let message: String

    /// The kinds of errors, as far as the reaction to them differs.
    package enum Cause: Hashable, Sendable {
        /// The disk is full, or the file has reached its size limit.
        case full
        /// The file is damaged, or is no database.
        case corrupt
        /// The file cannot be opened or written, or the disk fails.
        case unwritable
        /// Another process has locked the file.
        case busy
        /// A value is too large, of a wrong type, or against a constraint.
        case data
        /// The SQL is wrong: a bug of the program, or a foreign schema in the file.
        case misuse
    }

    /// The kind of this error.
    package var cause: Cause {
        switch self.code & 0xFF {
        case SQLITE_FULL: .full
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_IOERR, SQLITE_PERM, SQLITE_AUTH, SQLITE_NOMEM, SQLITE_NOLFS:
            .unwritable
        case SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG: .data
        default: .misuse
        }
    }

    package var description: String { "\(self.operation): \(self.message) (\(self.code))" }

    /// Returns the error for an operation that has no room, as a caller found out before SQLite.
    package static func full(_ operation: String) -> SQLiteError {
        unsafe SQLiteError(operation, code: SQLITE_FULL, nil)
    }

    /// Returns the error for an operation on a database that another process has locked.
    package static func busy(_ operation: String) -> SQLiteError {
        unsafe SQLiteError(operation, code: SQLITE_BUSY, nil)
    }

    init(_ operation: String, code: Int32, _ handle: OpaquePointer?) {
        self.operation = operation
        self.code = code
        // The message of the handle may be that of another call; without a handle there is only that of the code.
        let text =
            if let handle = unsafe handle, unsafe sqlite3_extended_errcode(handle) == code {
                unsafe sqlite3_errmsg(handle)
            } else {
                unsafe sqlite3_errstr(code)
            }
        self.message = unsafe text.map { unsafe String(cString: $0) } ?? "unknown"
    }
}
