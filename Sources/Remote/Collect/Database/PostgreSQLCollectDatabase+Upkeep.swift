// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import PostgreSQL

extension PostgreSQLCollectDatabase {
    package func upsert(_ states: [CollectedState]) throws(CollectError) {
        guard !states.isEmpty else { return }
        let names: [PostgreSQLValue] = [.texts(states.map(\.vehicle)), .texts(states.map(\.topic))]
        let bodies = PostgreSQLValue.texts(states.map { String(decoding: $0.body, as: UTF8.self) })
        try self.perform { connection throws(PostgreSQLError) in
            try connection.run(
                """
                DELETE FROM states USING unnest($1::text[], $2::text[], $3::text[], $4::text[]) \
                AS new (vehicle, topic, body, received) WHERE states.vehicle = new.vehicle \
                AND states.topic = new.topic AND (new.body = '' OR states.time > new.received::timestamptz)
                """,
                names + [bodies, .texts(states.map(\.receivedAt.description))]
            )
            try connection.run(
                """
                INSERT INTO states (vehicle, topic, time, body) \
                SELECT vehicle, topic, nullif(time, '')::timestamptz, body::jsonb \
                FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS new (vehicle, topic, body, time) \
                WHERE body <> '' ON CONFLICT (vehicle, topic) DO UPDATE SET time = excluded.time, body = excluded.body \
                WHERE states.time IS NULL OR excluded.time IS NULL OR states.time <= excluded.time
                """,
                names + [bodies, .texts(states.map { $0.time?.description ?? "" })]
            )
        }
    }

    package func prune(before time: Timestamp, limit: Int) throws(CollectError) -> Int {
        try self.connect()
        var count = 0
        if self.hasHypertable { count += try self.dropChunks(before: time) }
        let tables = CollectTable.allCases.map(\.rawValue) + (self.hasHypertable ? [] : ["samples"])
        for table in tables where count < limit {
            count += try self.delete(from: table, "time < $1", [.time(time)], limit: limit - count)
        }
        if count < limit {
            let isOver = "\(DatabaseSchema.isOver) AND updated < now() - INTERVAL '\(DatabaseSchema.resendDays) days'"
            count += try self.delete(
                from: "received",
                "updated < $1 AND \(isOver)",
                [.time(time)],
                limit: limit - count
            )
        }
        return count
    }

    /// Deletes rows by their places in the table, which needs no key.
    private func delete(
        from table: String,
        _ condition: String,
        _ values: [PostgreSQLValue],
        limit: Int
    ) throws(CollectError) -> Int {
        try self.perform { connection throws(PostgreSQLError) in
            try connection.run(
                """
                DELETE FROM \(table) WHERE ctid = ANY (ARRAY(SELECT ctid FROM \(table) WHERE \(condition) \
                LIMIT $\(values.count + 1))) AND \(condition)
                """,
                values + [.integer(Int64(limit))]
            )
            return connection.changes
        }
    }

    /// Drops the parts of the hypertable that are too old; each counts as one row.
    private func dropChunks(before time: Timestamp) throws(CollectError) -> Int {
        try self.perform { connection throws(PostgreSQLError) in
            var schema: String?
            try connection.run(PostgreSQLMigration.functionSchema("drop_chunks")) { schema = $0.text(0) }
            guard let schema else { return 0 }
            let sql = "SELECT count(*) FROM \(schema).drop_chunks('samples', older_than => $1::timestamptz)"
            return try Int(connection.integer(sql, [.time(time)]) ?? 0)
        }
    }
}
