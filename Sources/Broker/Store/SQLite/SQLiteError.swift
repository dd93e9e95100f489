// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// What SQLite says when it does not do what it was asked.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was being done: `open /var/lib/…`, or the SQL.
    package let doing: String
    /// The extended result code (https://sqlite.org/rescode.html).
    package let code: Int32
    /// SQLite's own words.
    package let message: String

    /// What kind of trouble it is, as far as that decides what to do about it.
    package enum Cause: Hashable, Sendable {
        /// The disk, or the room that the file may take, is full.
        case full
        /// The file is damaged, or no database at all.
        case corrupt
        /// It can't be opened or written, or the disk fails.
        case unwritable
        /// Somebody else holds it.
        case busy
        /// The SQL is wrong, or breaks a rule of the schema: a mistake of ours, or the schema of somebody else.
        case misuse
    }

    /// The kind of trouble.
    package var cause: Cause {
        switch self.code & 0xFF {
        case SQLITE_FULL: .full
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_IOERR, SQLITE_PERM, SQLITE_AUTH, SQLITE_NOMEM, SQLITE_NOLFS:
            .unwritable
        default: .misuse
        }
    }

    package var description: String { "\(self.doing): \(self.message) (\(self.code))" }

    /// There is no room for what was to be done, as somebody other than SQLite has found out.
    package static func full(_ doing: String) -> SQLiteError { unsafe SQLiteError(doing, code: SQLITE_FULL, nil) }

    /// Another process holds the database.
    package static func busy(_ doing: String) -> SQLiteError { unsafe SQLiteError(doing, code: SQLITE_BUSY, nil) }

    init(_ doing: String, code: Int32, _ handle: OpaquePointer?) {
        self.doing = doing
        self.code = code
        // The handle's text may be of another call; with no handle there is only the code's.
        let text =
            if let handle = unsafe handle, unsafe sqlite3_extended_errcode(handle) == code {
                unsafe sqlite3_errmsg(handle)
            } else {
                unsafe sqlite3_errstr(code)
            }
        self.message = unsafe text.map { unsafe String(cString: $0) } ?? "unknown"
    }
}
