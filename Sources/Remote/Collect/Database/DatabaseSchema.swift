// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The tables of a database, in the SQL of PostgreSQL or of SQLite.
///
/// PostgreSQL has times as `timestamptz` and JSON as `jsonb`; SQLite has times as milliseconds since 1970-01-01T00:00:00Z
/// and JSON as text.
enum DatabaseSchema: Sendable {
    case postgreSQL, sqlite

    /// The present version; a newer one is refused, an older one is migrated.
    static let version: Int64 = 1
    /// The name of the row in `meta` with the version.
    static let versionName = "collect_schema"
    /// The largest number of rows in `rejected`; the oldest go.
    static let rejectedLimit: Int64 = 1000

    /// The days after which no agent can send records again.
    static let resendDays = 100

    /// Whether the numbers of a row of `received` matter no more; those of the newest epoch always do.
    static let isOver = "(stream = 'responses' OR (end_known AND NOT has_holes)) AND \(hasLaterEpoch("received"))"

    /// Whether a collector looks at a row of `received`: records are missing, or may be.
    ///
    /// The first condition is that of the index.
    static let isOpen = """
        (has_holes OR NOT end_known) AND (has_holes OR stream <> 'responses' AND \(hasLaterEpoch("open")))
        """

    /// The longest time for which a row of `received` is left alone.
    ///
    /// A later `next_ask` is of a clock that was ahead. The longest pause that an agent can ask for is a day.
    static let askHorizon = Duration.seconds(48 * 3600)

    /// Returns the condition that the stream of a row has a later epoch.
    private static func hasLaterEpoch(_ row: String) -> String {
        """
        EXISTS (SELECT 1 FROM received AS later WHERE later.agent = \(row).agent AND later.stream = \(row).stream \
        AND later.epoch > \(row).epoch)
        """
    }

    /// The statements that bring each version to the next, from an empty database on.
    var migrations: [[String]] {
        let comments = self == .sqlite ? [] : TableComments.statements
        return [self.firstTables + CollectTable.allCases.flatMap(self.table) + self.views + comments]
    }

    /// Returns the name of a type.
    func name(of type: ColumnType) -> String {
        switch (type, self) {
        case (.bool, .postgreSQL): "boolean"
        case (.integer, .postgreSQL): "bigint"
        case (.real, .postgreSQL): "double precision"
        case (.bytes, .postgreSQL): "bytea"
        case (.time, .postgreSQL): "timestamptz"
        case (.json, .postgreSQL): "jsonb"
        case (.bool, .sqlite), (.integer, .sqlite), (.time, .sqlite): "INTEGER"
        case (.real, .sqlite): "REAL"
        case (.bytes, .sqlite): "BLOB"
        case (.json, .sqlite), (.text, _): "TEXT"
        }
    }

    // MARK: - Tables with a form of their own

    /// The end of a table's definition: SQLite checks the types of values only if told.
    private var end: String { self == .sqlite ? " STRICT" : "" }

    /// A text that is compared byte by byte, so that all writers lock rows in the same order.
    private var exactText: String { self == .sqlite ? "TEXT" : "text COLLATE \"C\"" }

    private var firstTables: [String] {
        let (text, integer, time) = (self.exactText, self.name(of: .integer), self.name(of: .time))
        let (bool, json, real) = (self.name(of: .bool), self.name(of: .json), self.name(of: .real))
        let id = self == .sqlite ? "INTEGER PRIMARY KEY" : "integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
        // The row of a stream changes with every transaction: room for the next version beside it spares its indexes.
        let room = self == .sqlite ? self.end : " WITH (fillfactor = 50)"
        var statements = [
            """
            CREATE TABLE series (id \(id), vehicle \(text) NOT NULL, parameter \(text) NOT NULL, ecu \(text) NOT NULL, \
            unit \(text))\(self.end)
            """,
            "CREATE UNIQUE INDEX series_names ON series (vehicle, parameter, ecu, coalesce(unit, ''))",
            """
            CREATE TABLE samples (time \(time) NOT NULL, value \(real) NOT NULL, \
            series \(self == .sqlite ? "INTEGER" : "integer") NOT NULL, synchronised \(bool) NOT NULL)\(self.end)
            """,
            "CREATE INDEX samples_series ON samples (series, time)",
            """
            CREATE TABLE states (vehicle \(text) NOT NULL, topic \(text) NOT NULL, time \(time), body \(json) NOT NULL, \
            PRIMARY KEY (vehicle, topic))\(self.end)
            """,
            """
            CREATE TABLE received (agent \(text) NOT NULL, stream \(text) NOT NULL, epoch \(integer) NOT NULL, \
            vehicle \(text) NOT NULL, numbers \(text) NOT NULL DEFAULT '', lost \(text) NOT NULL DEFAULT '', \
            last \(integer) NOT NULL DEFAULT 0, ended \(bool) NOT NULL DEFAULT \(self.no), \
            has_holes \(bool) NOT NULL DEFAULT \(self.no), end_known \(bool) NOT NULL DEFAULT \(self.no), \
            next_ask \(time), asks \(integer) NOT NULL DEFAULT 0, updated \(time) NOT NULL DEFAULT (\(self.now)), \
            PRIMARY KEY (agent, stream, epoch, vehicle))\(room)
            """,
            "CREATE INDEX received_open ON received (next_ask) WHERE has_holes OR NOT end_known",
        ]
        if self == .postgreSQL { statements.append("CREATE INDEX samples_time ON samples USING brin (time)") }
        return statements
    }

    /// The value `false`.
    private var no: String { self == .sqlite ? "0" : "false" }

    /// The present time.
    var now: String { self == .sqlite ? "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)" : "now()" }

    // MARK: - Tables of rows

    private func table(_ table: CollectTable) -> [String] {
        var parts = table.columns.map { column in
            "\(column.name) \(self.name(of: column.type))\(column.isOptional ? "" : " NOT NULL")"
        }
        if !table.key.isEmpty { parts.append("PRIMARY KEY (\(table.key.joined(separator: ", ")))") }
        if table == .rejected {
            parts.insert(
                self == .sqlite ? "id INTEGER PRIMARY KEY" : "id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
                at: 0
            )
        }
        let name = table.rawValue
        var statements = ["CREATE TABLE \(name) (\(parts.joined(separator: ", ")))\(self.end)"]
        let names = table.columns.map(\.name)
        if names.contains("vehicle") { statements.append("CREATE INDEX \(name)_vehicle ON \(name) (vehicle, time)") }
        if table == .captureSamples {
            statements.append("CREATE INDEX \(name)_capture ON \(name) (agent, epoch, seq, vehicle, series, time)")
        }
        // This index finds what is too old; PostgreSQL has a very small one for rows that come almost in order.
        statements.append("CREATE INDEX \(name)_time ON \(name) \(self == .sqlite ? "" : "USING brin ")(time)")
        return statements
    }
}
