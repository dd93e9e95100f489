// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
package import SQLite

/// The tables of the database, and the migrations of an older file.
///
/// The version before must be able to read and write a file that this version has migrated: an upgrade may be rolled
/// back. So a migration after ``readableBy`` only adds: tables, and columns that may be null or have a default. What
/// becomes unused is dropped by the release after the one that stopped to use it. For the same reason each INSERT names
/// its columns.
package enum Schema {
    /// The `user_version` of a file with all migrations.
    package static var version: Int64 { Int64(Self.migrations.count) }

    /// The lowest version whose agents can read and write a file of ``version``.
    ///
    /// It is written into the file for agents that do not know that version.
    package static let readableBy: Int64 = 10

    /// The migrations: the n-th makes version n of version n - 1.
    ///
    /// A released migration never changes.
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
            // The acknowledged part of each stream.
            "CREATE TABLE streams (name TEXT PRIMARY KEY, sent INTEGER NOT NULL) WITHOUT ROWID",
        ]
            + RecordStream.allCases.map { stream in
                // A queue, appended at one end and cut at the other. `id` is the epoch times 2^30 plus the number, `at`
                // milliseconds since the boot, `body` a JSON object without number and date, `precious` 1 for a
                // critical record.
                """
                CREATE TABLE \(stream.rawValue) (
                    id INTEGER PRIMARY KEY, boot INTEGER NOT NULL, at INTEGER NOT NULL, vehicle TEXT NOT NULL,
                    body BLOB NOT NULL, precious INTEGER NOT NULL, response_topic TEXT, correlation BLOB
                )
                """
            } + [
                // The journal of commands: the last response to each.
                """
                CREATE TABLE commands (
                    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, boot INTEGER NOT NULL, at INTEGER NOT NULL,
                    response BLOB NOT NULL
                )
                """,
                // The selected parameters, by vehicle.
                "CREATE TABLE selections (vehicle TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID",
                // The vehicles by connection: the highest number is the last one. `at` is the time of the connection.
                """
                CREATE TABLE vehicles (
                    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, vin TEXT, boot INTEGER NOT NULL,
                    at INTEGER NOT NULL
                )
                """,
            ],
        [
            // The vehicle of the command; null if an older version has written the row.
            "ALTER TABLE commands ADD COLUMN vehicle TEXT",
            // The newest value of each parameter; `value` is JSON in metric units.
            """
            CREATE TABLE last_values (
                vehicle TEXT NOT NULL, series TEXT NOT NULL, ecu TEXT NOT NULL, value TEXT NOT NULL, label TEXT,
                unit TEXT, boot INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (vehicle, series)
            ) WITHOUT ROWID
            """,
            // The findings of specialists; `body` is a JSON object.
            """
            CREATE TABLE findings (
                number INTEGER PRIMARY KEY, vehicle TEXT NOT NULL, boot INTEGER NOT NULL, at INTEGER NOT NULL,
                body BLOB NOT NULL
            )
            """,
        ],
        [
            // The address for further responses; null after the final response.
            "ALTER TABLE commands ADD COLUMN response_topic TEXT",
            "ALTER TABLE commands ADD COLUMN correlation BLOB",
            // The date until which the command must not be deleted, in milliseconds since 1970; null: it may be.
            "ALTER TABLE commands ADD COLUMN until INTEGER",
        ],
        [
            // The announcements of vehicles outside their topics; `body` is a JSON object.
            "CREATE TABLE announced (id TEXT PRIMARY KEY, body BLOB NOT NULL)"
        ],
        [
            // The mark that identifies the vehicle, even if its VIN is not stored.
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
        [
            // The results of the detection of the model, by vehicle; `body` is a JSON object.
            "CREATE TABLE detections (vehicle TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID"
        ],
        [
            // The event that is still being made, which becomes a record if the agent ends before: one row.
            """
            CREATE TABLE drafts (
                id INTEGER PRIMARY KEY, boot INTEGER NOT NULL, at INTEGER NOT NULL, vehicle TEXT NOT NULL,
                body BLOB NOT NULL
            )
            """,
            // The captures of a day by rule; `date` is the number of the UTC day since 1970.
            """
            CREATE TABLE captures (rule TEXT PRIMARY KEY, date INTEGER NOT NULL, count INTEGER NOT NULL) WITHOUT ROWID
            """,
        ],
        [
            // The totals of a vehicle's trips, the last trip and the present one; `body` is a JSON object.
            "CREATE TABLE trips (vehicle TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID"
        ],
        [
            // The states of a vehicle by kind, in place of a table for each kind; `body` is a JSON object.
            """
            CREATE TABLE vehicle_states (
                vehicle TEXT NOT NULL, kind TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (vehicle, kind)
            ) WITHOUT ROWID
            """
        ]
            + [("selections", "selection"), ("detections", "detection"), ("trips", "trips")].flatMap { table, kind in
                ["INSERT INTO vehicle_states SELECT vehicle, '\(kind)', body FROM \(table)", "DROP TABLE \(table)"]
            },
    ]

    /// Migrates a file to ``version``; leaves a file of a later version as it is.
    package static func migrate(_ database: Database) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            let current = try database.integer("PRAGMA user_version") ?? 0
            guard current <= Self.version else { return }
            for migration in Self.migrations[Int(max(0, current))...] {
                for statement in migration { try database.run(statement) }
            }
            if current < Self.version { try database.run("PRAGMA user_version = \(Self.version)") }
            try MetaTable(database: database).write(readableBy: Self.readableBy)
        }
    }

    /// Returns the version of a file, and whether this agent can read and write the file once it is migrated.
    static func check(_ database: Database) throws(SQLiteError) -> (version: Int64, isReadable: Bool) {
        let version = try database.integer("PRAGMA user_version") ?? 0
        guard version > Self.version else { return (version, true) }
        // The table may be anything by then.
        let readableBy = (try? MetaTable(database: database).readableBy()) ?? nil
        return (version, readableBy.map { $0 <= Self.version } ?? false)
    }
}
