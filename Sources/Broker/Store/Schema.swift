// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract

/// The tables of the database, and how an older file gets them.
package enum Schema {
    /// What SQLite's `user_version` says of a file that has all migrations.
    package static var version: Int64 { Int64(Self.migrations.count) }

    /// The n-th makes version n out of version n - 1; what was released once is never changed.
    static let migrations: [[String]] = [
        [
            // Numbers by name: `epoch`.
            "CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
            // Boots of the machine; `started` is the date of monotonic zero in milliseconds since 1970.
            """
            CREATE TABLE boots (
                id INTEGER PRIMARY KEY, boot TEXT NOT NULL UNIQUE, started INTEGER NOT NULL, trusted INTEGER NOT NULL
            )
            """,
            // How far each stream is acknowledged by the broker.
            "CREATE TABLE streams (name TEXT PRIMARY KEY, sent INTEGER NOT NULL) WITHOUT ROWID",
        ]
            + RecordStream.allCases.map { stream in
                // A queue, appended at one end and cut at the other. `id` is the epoch times 2^30 plus the number, `at`
                // milliseconds since the boot, `body` a JSON object without number and date.
                """
                CREATE TABLE \(stream.rawValue) (
                    id INTEGER PRIMARY KEY, boot INTEGER NOT NULL, at INTEGER NOT NULL, vehicle TEXT NOT NULL,
                    body BLOB NOT NULL, precious INTEGER NOT NULL, response_topic TEXT, correlation BLOB
                )
                """
            } + [
                // The journal: commands that were obeyed or refused, and the last response to each.
                """
                CREATE TABLE commands (
                    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, boot INTEGER NOT NULL, at INTEGER NOT NULL,
                    response BLOB NOT NULL
                )
                """,
                // What is polled, by vehicle.
                "CREATE TABLE selections (vehicle TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID",
                // The last of them is the one that was connected last; `at` is since when.
                """
                CREATE TABLE vehicles (
                    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, vin TEXT, boot INTEGER NOT NULL,
                    at INTEGER NOT NULL
                )
                """,
            ],
        [
            // Whose command it was; null where an older version has written it.
            "ALTER TABLE commands ADD COLUMN vehicle TEXT",
            // The newest value of everything that was ever read; `value` is JSON, numbers are metric.
            """
            CREATE TABLE last_values (
                vehicle TEXT NOT NULL, series TEXT NOT NULL, ecu TEXT NOT NULL, value TEXT NOT NULL, label TEXT,
                unit TEXT, boot INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (vehicle, series)
            ) WITHOUT ROWID
            """,
            // What specialists have found; `body` is a JSON object.
            """
            CREATE TABLE findings (
                number INTEGER PRIMARY KEY, vehicle TEXT NOT NULL, boot INTEGER NOT NULL, at INTEGER NOT NULL,
                body BLOB NOT NULL
            )
            """,
        ],
        [
            // Where the requester of a command waits for more; null behind the last word.
            "ALTER TABLE commands ADD COLUMN response_topic TEXT",
            "ALTER TABLE commands ADD COLUMN correlation BLOB",
            // The date until which it must not be forgotten, in milliseconds since 1970; null: any time.
            "ALTER TABLE commands ADD COLUMN until INTEGER",
        ],
        [
            // What was announced of vehicles outside of their topics, by identifier; `body` is a JSON object.
            "CREATE TABLE announced (id TEXT PRIMARY KEY, body BLOB NOT NULL)"
        ],
        [
            // What tells the vehicle from others, also where its VIN is not kept.
            "ALTER TABLE vehicles ADD COLUMN mark TEXT",
            "UPDATE vehicles SET mark = vin",
        ],
        [
            // The state in the last response to a command, as the contract names it; null if the response has none.
            "ALTER TABLE commands ADD COLUMN state TEXT",
            """
            UPDATE commands SET state = CASE WHEN json_valid(CAST(response AS TEXT))
            THEN json_extract(CAST(response AS TEXT), '$.state') END
            """,
        ],
    ]

    /// Brings a file to ``version``.
    package static func migrate(_ database: Database) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            let present = try database.integer("PRAGMA user_version") ?? 0
            guard present < Self.version else { return }
            for migration in Self.migrations[Int(max(0, present))...] {
                for statement in migration { try database.run(statement) }
            }
            try database.run("PRAGMA user_version = \(Self.version)")
        }
    }
}
