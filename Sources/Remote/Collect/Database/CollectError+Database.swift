// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import PostgreSQL
import SQLite

extension CollectError {
    init(_ error: PostgreSQLError) {
        let text = error.description
        self =
            switch error.cause {
            case .unreachable, .interrupted: .unreachable(text)
            case .refused, .misuse: .refused(text)
            case .full: .full(text)
            case .conflict: .conflict(text)
            case .data: .invalid(text)
            }
    }

    init(_ error: SQLiteError) {
        let text = error.description
        self =
            switch error.cause {
            case .full: .full(text)
            // A disk that fails, and a lock that another program holds: later both may be over.
            case .unwritable, .busy: .unreachable(text)
            case .corrupt: .refused("\(text). Try: another path, or a backup of this file")
            case .misuse: .refused(text)
            case .data: .invalid(text)
            }
    }

    /// Returns the error of a database whose schema is of a later version of this program.
    static func newerSchema(_ version: Int64) -> CollectError {
        .refused(
            "the database has version \(version) of the schema, this program knows \(DatabaseSchema.version). "
                + "Try: a newer obd-remote, or another database"
        )
    }
}
