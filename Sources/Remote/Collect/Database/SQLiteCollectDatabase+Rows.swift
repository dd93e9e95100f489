// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import SQLite

extension SQLiteCollectDatabase {
    package func series(_ keys: [SeriesKey]) throws(CollectError) -> [SeriesKey: Int64] {
        guard !keys.isEmpty else { return [:] }
        let match = SeriesMatch(keys, among: try self.existing(keys))
        if match.missing.isEmpty && match.named.isEmpty { return match.ids }
        try self.perform { database throws(SQLiteError) in
            for key in match.missing {
                try database.run(
                    "INSERT INTO series (vehicle, parameter, ecu, unit) VALUES (?, ?, ?, ?)",
                    [.text(key.vehicle), .text(key.parameter), .text(key.ecu), SQLiteValue(key.unit)]
                )
            }
            for (id, unit) in match.named {
                try database.run("UPDATE series SET unit = ? WHERE id = ?", [.text(unit), .integer(id)])
            }
        }
        return SeriesMatch(keys, among: try self.existing(keys)).ids
    }

    private func existing(_ keys: [SeriesKey]) throws(CollectError) -> [(id: Int64, key: SeriesKey)] {
        var rows: [(id: Int64, key: SeriesKey)] = []
        let names = Set(keys.map { SeriesKey(vehicle: $0.vehicle, parameter: $0.parameter, ecu: $0.ecu) })
        try self.perform { database throws(SQLiteError) in
            for name in names {
                try database.run(
                    "SELECT id, unit FROM series WHERE vehicle = ? AND parameter = ? AND ecu = ?",
                    [.text(name.vehicle), .text(name.parameter), .text(name.ecu)]
                ) { row in
                    guard let id = row.integer(0) else { return }
                    var key = name
                    key.unit = row.text(1)
                    rows.append((id, key))
                }
            }
        }
        return rows.sorted { $0.id < $1.id }
    }

    package func upsert(_ states: [CollectedState]) throws(CollectError) {
        try self.perform { database throws(SQLiteError) in
            for state in states {
                guard !state.body.isEmpty else {
                    try database.run(
                        "DELETE FROM states WHERE vehicle = ? AND topic = ?",
                        [.text(state.vehicle), .text(state.topic)]
                    )
                    continue
                }
                try database.run(
                    """
                    INSERT INTO states (vehicle, topic, time, body) VALUES (?, ?, ?, ?) \
                    ON CONFLICT (vehicle, topic) DO UPDATE SET time = excluded.time, body = excluded.body \
                    WHERE states.time IS NULL OR excluded.time IS NULL OR states.time <= excluded.time \
                    OR states.time > ?
                    """,
                    [
                        .text(state.vehicle), .text(state.topic), SQLiteValue(state.time?.milliseconds),
                        .text(String(decoding: state.body, as: UTF8.self)), .integer(state.receivedAt.milliseconds),
                    ]
                )
            }
        }
    }

    package func prune(before time: Timestamp, limit: Int) throws(CollectError) -> Int {
        try self.begin()
        var count = 0
        // Series by series, because the index of the samples begins with the series.
        let samples = "SELECT samples.rowid FROM series CROSS JOIN samples ON samples.series = series.id"
        count += try self.delete(from: "samples", samples + " WHERE samples.time < ?", time, limit: limit)
        for table in CollectTable.allCases.map(\.rawValue) where count < limit {
            let rows = "SELECT rowid FROM \(table) WHERE time < ?"
            count += try self.delete(from: table, rows, time, limit: limit - count)
        }
        if count < limit {
            let (now, days) = (DatabaseSchema.sqlite.now, DatabaseSchema.resendDays)
            let isOver = "\(DatabaseSchema.isOver) AND updated < \(now) - \(days) * 86400000"
            let rows = "SELECT rowid FROM received WHERE updated < ? AND \(isOver)"
            count += try self.delete(from: "received", rows, time, limit: limit - count)
        }
        try self.commit()
        return count
    }

    private func delete(from table: String, _ rows: String, _ time: Timestamp, limit: Int) throws(CollectError) -> Int {
        try self.perform { database throws(SQLiteError) in
            try database.run(
                "DELETE FROM \(table) WHERE rowid IN (\(rows) LIMIT ?)",
                [.integer(time.milliseconds), .integer(Int64(limit))]
            )
            return database.changes
        }
    }
}
