// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import SQLite

extension SQLiteCollectDatabase {
    private static let columns = "agent, stream, epoch, numbers, lost, last, ended, next_ask, asks"

    package func received(_ keys: [StreamKey]) throws(CollectError) -> [StreamKey: Received] {
        var found: [StreamKey: Received] = [:]
        for key in keys.sorted() {
            try self.perform { database throws(SQLiteError) in
                try database.run(
                    "INSERT OR IGNORE INTO received (agent, stream, epoch) VALUES (?, ?, ?)",
                    Self.values(key)
                )
            }
            let sql = "SELECT \(Self.columns) FROM received WHERE agent = ? AND stream = ? AND epoch = ?"
            found.merge(try self.rows(sql, Self.values(key))) { _, new in new }
        }
        return found
    }

    package func save(_ received: [StreamKey: Received]) throws(CollectError) {
        try self.perform { database throws(SQLiteError) in
            for (key, row) in received {
                try database.run(
                    """
                    UPDATE received SET numbers = ?, lost = ?, last = ?, ended = ?, has_holes = ?, next_ask = ?, \
                    asks = ?, updated = \(DatabaseSchema.sqlite.now) WHERE agent = ? AND stream = ? AND epoch = ?
                    """,
                    [
                        .text(row.numbers.description), .text(row.lost.description),
                        .integer(Int64(clamping: row.last)), .integer(row.isEnded ? 1 : 0),
                        .integer(row.hasHoles ? 1 : 0), SQLiteValue(row.nextAsk?.milliseconds),
                        .integer(Int64(row.asks)),
                    ] + Self.values(key)
                )
            }
        }
    }

    package func gaps(limit: Int, at now: Timestamp, until: Timestamp) throws(CollectError) -> [StreamKey: Received] {
        try self.begin()
        let sql = """
            SELECT \(Self.columns) FROM received AS open WHERE (next_ask IS NULL OR next_ask <= ?) \
            AND \(DatabaseSchema.isOpen) \
            ORDER BY next_ask NULLS FIRST, agent, stream, epoch LIMIT ?
            """
        var found = try self.rows(sql, [.integer(now.milliseconds), .integer(Int64(limit))])
        for key in found.keys {
            found[key]?.nextAsk = until
            try self.perform { database throws(SQLiteError) in
                try database.run(
                    "UPDATE received SET next_ask = ? WHERE agent = ? AND stream = ? AND epoch = ?",
                    [.integer(until.milliseconds)] + Self.values(key)
                )
            }
        }
        try self.commit()
        return found
    }

    package func incomplete(limit: Int) throws(CollectError) -> [StreamKey: Received] {
        // The first condition is that of the index.
        let sql = "SELECT \(Self.columns) FROM received WHERE (has_holes OR NOT ended) AND has_holes LIMIT ?"
        return try self.rows(sql, [.integer(Int64(limit))])
    }

    private static func values(_ key: StreamKey) -> [SQLiteValue] {
        [.text(key.agent), .text(key.stream.rawValue), .integer(Int64(clamping: key.epoch))]
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
