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
        guard keys.allSatisfy({ found[$0] != nil }) else { throw .conflict("rows of the table \"received\" vanish") }
        return found
    }

    package func hasEpoch(of agent: String, through epoch: UInt64) throws(CollectError) -> Bool {
        let sql = "SELECT count(*) FROM (SELECT 1 FROM received WHERE agent = $1 AND epoch <= $2 LIMIT 1) AS known"
        return try self.perform { connection throws(PostgreSQLError) in
            try connection.integer(sql, [.text(agent), .integer(Int64(clamping: epoch))]) == 1
        }
    }

    /// Creates the rows of streams, in ascending order.
    private func create(_ keys: [StreamKey]) throws(CollectError) {
        guard !keys.isEmpty else { return }
        try self.perform { connection throws(PostgreSQLError) in
            try connection.run(
                """
                INSERT INTO received (agent, stream, epoch, vehicle) \
                SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) ON CONFLICT DO NOTHING
                """,
                Self.values(keys)
            )
        }
        self.newStreams.formUnion(keys)
    }

    /// Locks the rows of streams, on the topics of all vehicles, in ascending order, and returns them.
    private func lock(_ keys: [StreamKey]) throws(CollectError) -> [StreamKey: Received] {
        let order = "ORDER BY agent, stream, epoch, vehicle FOR UPDATE"
        return try self.rows("\(Self.selection) \(order)", Self.values(Set(keys.map(\.sequence))))
    }

    /// Returns rows joined by those of other vehicles.
    private func joined(_ rows: [StreamKey: Received]) throws(CollectError) -> [StreamKey: Received] {
        guard !rows.isEmpty else { return [:] }
        let families = try self.rows(Self.selection, Self.values(Set(rows.keys.map(\.sequence))))
        return families.merging(rows) { $1 }.joined().filter { rows[$0.key] != nil }
    }

    package func save(_ received: [StreamKey: Received]) throws(CollectError) {
        guard !received.isEmpty else { return }
        let rows = received.sorted { $0.key < $1.key }
        func flags(_ flag: (Received) -> Bool) -> PostgreSQLValue { .integers(rows.map { flag($0.value) ? 1 : 0 }) }
        var values = Self.values(rows.map(\.key))
        values.append(.texts(rows.map(\.value.numbers.description)))
        values.append(.texts(rows.map(\.value.lost.description)))
        values.append(.integers(rows.map { Int64(clamping: $0.value.last) }))
        values += [flags(\.isEnded), flags(\.outlook.hasHoles), flags(\.outlook.isEndKnown)]
        values.append(.texts(rows.map { $0.value.nextAsk?.description ?? "" }))
        values.append(.integers(rows.map { Int64($0.value.asks) }))
        try self.perform { connection throws(PostgreSQLError) in
            try connection.run(
                """
                UPDATE received SET numbers = new.numbers, lost = new.lost, last = new.last, ended = new.ended <> 0, \
                has_holes = new.has_holes <> 0, end_known = new.end_known <> 0, \
                next_ask = nullif(new.next_ask, '')::timestamptz, asks = new.asks, updated = now() \
                FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::bigint[], \
                $8::bigint[], $9::bigint[], $10::bigint[], $11::text[], $12::bigint[]) \
                AS new (agent, stream, epoch, vehicle, numbers, lost, last, ended, has_holes, end_known, next_ask, asks) \
                WHERE received.agent = new.agent AND received.stream = new.stream AND received.epoch = new.epoch \
                AND received.vehicle = new.vehicle
                """,
                values
            )
        }
    }

    package func gaps(limit: Int, at now: Timestamp, until: Timestamp) throws(CollectError) -> [StreamKey: Received] {
        try self.connect()
        let sql = """
            UPDATE received SET next_ask = $3 FROM (SELECT agent, stream, epoch, vehicle FROM received AS open \
            WHERE (next_ask IS NULL OR next_ask <= $2 OR next_ask > $4) AND \(DatabaseSchema.isOpen) \
            ORDER BY next_ask NULLS FIRST, agent, stream, epoch, vehicle LIMIT $1 \
            FOR UPDATE SKIP LOCKED) AS claimed WHERE received.agent = claimed.agent \
            AND received.stream = claimed.stream AND received.epoch = claimed.epoch \
            AND received.vehicle = claimed.vehicle RETURNING \(Self.columns)
            """
        let horizon = now + DatabaseSchema.askHorizon
        let claimed = try self.rows(sql, [.integer(Int64(limit)), .time(now), .time(until), .time(horizon)])
        return try self.joined(claimed)
    }

    package func incomplete(limit: Int) throws(CollectError) -> [StreamKey: Received] {
        try self.connect()
        // The first condition is that of the index.
        let sql = "SELECT \(Self.columns) FROM received WHERE (has_holes OR NOT end_known) AND has_holes LIMIT $1"
        return try self.joined(try self.rows(sql, [.integer(Int64(limit))]))
    }

    // MARK: - Rows

    private static let columns = ReceivedRow.columns.map { name in
        name == "next_ask" ? "(extract(epoch FROM received.next_ask) * 1000)::bigint" : "received.\(name)"
    }
    .joined(separator: ", ")

    /// The rows of sequences on the topics of all vehicles.
    private static let selection = """
        SELECT \(PostgreSQLCollectDatabase.columns) FROM received WHERE (agent, stream, epoch) IN \
        (SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[]))
        """

    private static func values(_ sequences: some Collection<AgentSequence>) -> [PostgreSQLValue] {
        [
            .texts(sequences.map(\.agent)), .texts(sequences.map(\.stream.rawValue)),
            .integers(sequences.map { Int64(clamping: $0.epoch) }),
        ]
    }

    private static func values(_ keys: [StreamKey]) -> [PostgreSQLValue] {
        Self.values(keys.map(\.sequence)) + [.texts(keys.map(\.vehicle))]
    }

    private func rows(_ sql: String, _ values: [PostgreSQLValue]) throws(CollectError) -> [StreamKey: Received] {
        var found: [StreamKey: Received] = [:]
        var damaged: String?
        try self.perform { connection throws(PostgreSQLError) in
            try connection.run(sql, values) { row in
                guard let row = ReceivedRow(row) else {
                    damaged = damaged ?? (0...3).map { row.text($0) ?? "?" }.joined(separator: " ")
                    return
                }
                found[row.key] = row.received
            }
        }
        if let damaged { throw .refused("the row \(damaged) of the table \"received\" is damaged") }
        return found
    }
}
