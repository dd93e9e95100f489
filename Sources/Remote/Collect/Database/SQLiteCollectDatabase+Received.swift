// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import SQLite

extension SQLiteCollectDatabase {
    private static let columns = ReceivedRow.columns.joined(separator: ", ")
    private static let isRow = "agent = ? AND stream = ? AND epoch = ? AND vehicle = ?"

    package func received(_ keys: [StreamKey]) throws(CollectError) -> [StreamKey: Received] {
        var found: [StreamKey: Received] = [:]
        for key in keys.sorted() {
            try self.perform { database throws(SQLiteError) in
                try database.run(
                    "INSERT OR IGNORE INTO received (agent, stream, epoch, vehicle) VALUES (?, ?, ?, ?)",
                    Self.values(key)
                )
            }
        }
        try self.addFamilies(of: keys, to: &found)
        return found
    }

    package func hasEpoch(of agent: String, through epoch: UInt64) throws(CollectError) -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM received WHERE agent = ? AND epoch <= ?)"
        return try self.perform { database throws(SQLiteError) in
            try database.integer(sql, [.text(agent), .integer(Int64(clamping: epoch))]) == 1
        }
    }

    /// Adds the rows of the sequences on the topics of all vehicles.
    private func addFamilies(
        of keys: some Sequence<StreamKey>,
        to found: inout [StreamKey: Received]
    ) throws(CollectError) {
        let sql = "SELECT \(Self.columns) FROM received WHERE agent = ? AND stream = ? AND epoch = ?"
        for sequence in Set(keys.map(\.sequence)) {
            found.merge(try self.rows(sql, Self.values(sequence))) { old, _ in old }
        }
    }

    /// Returns rows joined by those of other vehicles.
    private func joined(_ rows: [StreamKey: Received]) throws(CollectError) -> [StreamKey: Received] {
        var families = rows
        try self.addFamilies(of: rows.keys, to: &families)
        return families.joined().filter { rows[$0.key] != nil }
    }

    package func save(_ received: [StreamKey: Received]) throws(CollectError) {
        try self.perform { database throws(SQLiteError) in
            for (key, row) in received {
                try database.run(
                    """
                    UPDATE received SET numbers = ?, lost = ?, last = ?, ended = ?, has_holes = ?, end_known = ?, \
                    next_ask = ?, asks = ?, updated = \(DatabaseSchema.sqlite.now) WHERE \(Self.isRow)
                    """,
                    [
                        .text(row.numbers.description), .text(row.lost.description),
                        .integer(Int64(clamping: row.last)), .integer(row.isEnded ? 1 : 0),
                        .integer(row.outlook.hasHoles ? 1 : 0), .integer(row.outlook.isEndKnown ? 1 : 0),
                        SQLiteValue(row.nextAsk?.milliseconds), .integer(Int64(row.asks)),
                    ] + Self.values(key)
                )
            }
        }
    }

    package func gaps(limit: Int, at now: Timestamp, until: Timestamp) throws(CollectError) -> [StreamKey: Received] {
        try self.begin()
        let sql = """
            SELECT \(Self.columns) FROM received AS open WHERE (next_ask IS NULL OR next_ask <= ? OR next_ask > ?) \
            AND \(DatabaseSchema.isOpen) \
            ORDER BY next_ask NULLS FIRST, agent, stream, epoch, vehicle LIMIT ?
            """
        let horizon = now + DatabaseSchema.askHorizon
        var found = try self.rows(
            sql,
            [.integer(now.milliseconds), .integer(horizon.milliseconds), .integer(Int64(limit))]
        )
        for key in found.keys {
            found[key]?.nextAsk = until
            try self.perform { database throws(SQLiteError) in
                try database.run(
                    "UPDATE received SET next_ask = ? WHERE \(Self.isRow)",
                    [.integer(until.milliseconds)] + Self.values(key)
                )
            }
        }
        let joined = try self.joined(found)
        try self.commit()
        return joined
    }

    package func incomplete(limit: Int) throws(CollectError) -> [StreamKey: Received] {
        // The first condition is that of the index.
        let sql = "SELECT \(Self.columns) FROM received WHERE (has_holes OR NOT end_known) AND has_holes LIMIT ?"
        return try self.joined(try self.rows(sql, [.integer(Int64(limit))]))
    }

    private static func values(_ sequence: AgentSequence) -> [SQLiteValue] {
        [
            .text(sequence.agent), .text(sequence.stream.rawValue), .integer(Int64(clamping: sequence.epoch)),
        ]
    }

    private static func values(_ key: StreamKey) -> [SQLiteValue] {
        Self.values(key.sequence) + [.text(key.vehicle)]
    }

    private func rows(_ sql: String, _ values: [SQLiteValue]) throws(CollectError) -> [StreamKey: Received] {
        var found: [StreamKey: Received] = [:]
        var isDamaged = false
        try self.perform { database throws(SQLiteError) in
            try database.run(sql, values) { row in
                guard let row = ReceivedRow(row) else { return isDamaged = true }
                found[row.key] = row.received
            }
        }
        guard !isDamaged else {
            self.rollback()
            throw .refused("a row of the table \"received\" is damaged")
        }
        return found
    }
}
