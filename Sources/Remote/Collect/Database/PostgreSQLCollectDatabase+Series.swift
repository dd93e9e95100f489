// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import PostgreSQL

extension PostgreSQLCollectDatabase {
    package func series(_ keys: [SeriesKey]) throws(CollectError) -> [SeriesKey: Int64] {
        guard !keys.isEmpty else { return [:] }
        do throws(CollectError) {
            // The second round finds what another collector creates meanwhile.
            for _ in 0..<3 {
                let match = try SeriesMatch(keys, among: self.existing(keys))
                if match.missing.isEmpty && match.named.isEmpty { return match.ids }
                try self.create(match.missing)
                try self.name(match.named)
            }
        } catch {
            // Two collectors created the same series.
            if case .invalid(let reason) = error { throw .conflict(reason) }
            throw error
        }
        throw .conflict("another collector creates the same series")
    }

    private func existing(_ keys: [SeriesKey]) throws(CollectError) -> [(id: Int64, key: SeriesKey)] {
        var rows: [(id: Int64, key: SeriesKey)] = []
        let names = Set(keys.map { SeriesKey(vehicle: $0.vehicle, parameter: $0.parameter, ecu: $0.ecu) })
        try self.perform { connection throws(PostgreSQLError) in
            try connection.run(
                """
                SELECT id, vehicle, parameter, ecu, unit FROM series WHERE (vehicle, parameter, ecu) IN \
                (SELECT * FROM unnest($1::text[], $2::text[], $3::text[])) ORDER BY id
                """,
                Self.values(Array(names))
            ) { row in
                guard let id = row.integer(0), let vehicle = row.text(1), let parameter = row.text(2),
                    let ecu = row.text(3)
                else { return }
                rows.append((id, SeriesKey(vehicle: vehicle, parameter: parameter, ecu: ecu, unit: row.text(4))))
            }
        }
        return rows
    }

    private func create(_ keys: [SeriesKey]) throws(CollectError) {
        guard !keys.isEmpty else { return }
        try self.perform { connection throws(PostgreSQLError) in
            try connection.run(
                """
                INSERT INTO series (vehicle, parameter, ecu, unit) SELECT vehicle, parameter, ecu, nullif(unit, '') \
                FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS new (vehicle, parameter, ecu, unit) \
                ON CONFLICT DO NOTHING
                """,
                Self.values(keys) + [.texts(keys.map { $0.unit ?? "" })]
            )
        }
    }

    /// Gives units to series that have none.
    private func name(_ series: [(id: Int64, unit: String)]) throws(CollectError) {
        guard !series.isEmpty else { return }
        try self.perform { connection throws(PostgreSQLError) in
            try connection.run(
                """
                UPDATE series SET unit = new.unit FROM unnest($1::bigint[], $2::text[]) AS new (id, unit) \
                WHERE series.id = new.id AND series.unit IS NULL
                """,
                [.integers(series.map(\.id)), .texts(series.map(\.unit))]
            )
        }
    }

    private static func values(_ keys: [SeriesKey]) -> [PostgreSQLValue] {
        [.texts(keys.map(\.vehicle)), .texts(keys.map(\.parameter)), .texts(keys.map(\.ecu))]
    }
}
