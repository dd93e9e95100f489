// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import PostgreSQL

extension PostgreSQLCollectDatabase {
    package func received(_ keys: [StreamKey]) throws(CollectError) -> [StreamKey: Received] {
        guard !keys.isEmpty else { return [:] }
        var found: [StreamKey: Received] = [:]
        // A row that was known is gone if it was pruned; then it is created anew.
        for _ in 0..<3 {
            let missing = keys.filter { found[$0] == nil }.sorted()
            if missing.isEmpty { break }
            try self.create(missing.filter { !self.knownStreams.contains($0) && !self.newStreams.contains($0) })
            let rows = try self.lock(missing)
            let gone = missing.filter { rows[$0] == nil }
            self.knownStreams.subtract(gone)
            self.newStreams.subtract(gone)
            found.merge(rows) { _, new in new }
        }
        guard found.count == Set(keys).count else { throw .conflict("rows of the table \"received\" vanish") }
        return found
    }

    /// Creates the rows of streams, in ascending order.
    private func create(_ keys: [StreamKey]) throws(CollectError) {
        guard !keys.isEmpty else { return }
        try self.perform { connection throws(PostgreSQLError) in
            try connection.run(
                """
                INSERT INTO received (agent, stream, epoch) \
                SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[]) ON CONFLICT DO NOTHING
                """,
                Self.values(keys)
            )
        }
        self.newStreams.formUnion(keys)
    }

    /// Locks the rows of streams in ascending order, and returns them.
    private func lock(_ keys: [StreamKey]) throws(CollectError) -> [StreamKey: Received] {
        let sql = """
            SELECT \(Self.columns) FROM received WHERE (agent, stream, epoch) IN \
            (SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])) \
            ORDER BY agent, stream, epoch FOR UPDATE
            """
        return try self.rows(sql, Self.values(keys))
    }

    package func save(_ received: [StreamKey: Received]) throws(CollectError) {
        guard !received.isEmpty else { return }
        let rows = received.sorted { $0.key < $1.key }
        let values =
            Self.values(rows.map(\.key)) + [
                .texts(rows.map(\.value.numbers.description)), .texts(rows.map(\.value.lost.description)),
                .integers(rows.map { Int64(clamping: $0.value.last) }),
                .integers(rows.map { $0.value.isEnded ? 1 : 0 }),
                .integers(rows.map { $0.value.hasHoles ? 1 : 0 }),
                .texts(rows.map { $0.value.nextAsk?.description ?? "" }), .integers(rows.map { Int64($0.value.asks) }),
            ]
        try self.perform { connection throws(PostgreSQLError) in
            try connection.run(
                """
                UPDATE received SET numbers = new.numbers, lost = new.lost, last = new.last, ended = new.ended <> 0, \
                has_holes = new.has_holes <> 0, next_ask = nullif(new.next_ask, '')::timestamptz, asks = new.asks, \
                updated = now() FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], \
                $6::bigint[], $7::bigint[], $8::bigint[], $9::text[], $10::bigint[]) \
                AS new (agent, stream, epoch, numbers, lost, last, ended, has_holes, next_ask, asks) \
                WHERE received.agent = new.agent AND received.stream = new.stream AND received.epoch = new.epoch
                """,
                values
            )
        }
    }

    package func gaps(limit: Int, at now: Timestamp, until: Timestamp) throws(CollectError) -> [StreamKey: Received] {
        try self.connect()
        let sql = """
            UPDATE received SET next_ask = $3 FROM (SELECT agent, stream, epoch FROM received AS open \
            WHERE (next_ask IS NULL OR next_ask <= $2) AND \(DatabaseSchema.isOpen) \
            ORDER BY next_ask NULLS FIRST, agent, stream, epoch LIMIT $1 \
            FOR UPDATE SKIP LOCKED) AS claimed WHERE received.agent = claimed.agent \
            AND received.stream = claimed.stream AND received.epoch = claimed.epoch \
            RETURNING \(Self.columns(of: "received"))
            """
        return try self.rows(sql, [.integer(Int64(limit)), .time(now), .time(until)])
    }

    package func incomplete(limit: Int) throws(CollectError) -> [StreamKey: Received] {
        try self.connect()
        return try self.rows("SELECT \(Self.columns) FROM received WHERE has_holes LIMIT $1", [.integer(Int64(limit))])
    }

    // MARK: - Rows

    private static let columns = PostgreSQLCollectDatabase.columns(of: "received")

    private static func columns(of table: String) -> String {
        let names = ["agent", "stream", "epoch", "numbers", "lost", "last", "ended"].map { "\(table).\($0)" }
        let next = "(extract(epoch FROM \(table).next_ask) * 1000)::bigint"
        return (names + [next, "\(table).asks"]).joined(separator: ", ")
    }

    private static func values(_ keys: [StreamKey]) -> [PostgreSQLValue] {
        [
            .texts(keys.map(\.agent)), .texts(keys.map(\.stream.rawValue)),
            .integers(keys.map { Int64(clamping: $0.epoch) }),
        ]
    }

    private func rows(_ sql: String, _ values: [PostgreSQLValue]) throws(CollectError) -> [StreamKey: Received] {
        var found: [StreamKey: Received] = [:]
        var damaged: String?
        try self.perform { connection throws(PostgreSQLError) in
            try connection.run(sql, values) { row in
                guard let row = ReceivedRow(row) else {
                    damaged = damaged ?? "\(row.text(0) ?? "?") \(row.text(1) ?? "?") \(row.text(2) ?? "?")"
                    return
                }
                found[row.key] = row.received
            }
        }
        if let damaged { throw .refused("the row \(damaged) of the table \"received\" is damaged") }
        return found
    }
}
