// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import SQLite

extension Recording {
    /// The recorded data of a vehicle, in numbers.
    package struct Holding: Hashable, Sendable {
        package var vehicle: Vehicle
        /// The date of the newest value or, without values, of the identification.
        package var lastSeen: Timestamp
        /// Whether ``lastSeen`` is from a trusted clock.
        package var clock: ClockQuality
        /// The number of records with samples.
        package var batches: Int64
        package var events: Int64
        package var findings: Int64
    }

    /// Returns all vehicles and the numbers of their records, the last connected vehicle at the end.
    package func holdings() throws(StoreError) -> [Holding] {
        try StoreError.wrapping { () throws(SQLiteError) in
            var counts: [String: [String: Int64]] = [:]
            for table in ["telemetry", "events", "findings"] {
                try self.database.run("SELECT vehicle, count(*) FROM \(table) GROUP BY vehicle") { row in
                    if let vehicle = row.text(0) { counts[table, default: [:]][vehicle] = row.integer(1) }
                }
            }
            var holdings: [Holding] = []
            try self.database.run(
                """
                SELECT v.name, v.vin, max(coalesce(l.at + lb.started, 0), coalesce(v.at + vb.started, v.at)),
                coalesce(lb.trusted, vb.trusted) FROM vehicles v
                LEFT JOIN boots vb ON vb.id = v.boot
                LEFT JOIN last_values l ON l.vehicle = v.name
                    AND l.series = (SELECT o.series FROM last_values o JOIN boots b ON b.id = o.boot
                        WHERE o.vehicle = v.name ORDER BY o.at + b.started DESC LIMIT 1)
                LEFT JOIN boots lb ON lb.id = l.boot ORDER BY v.number
                """
            ) { row in
                guard let name = row.text(0) else { return }
                holdings.append(
                    Holding(
                        vehicle: Vehicle(name: name, vin: row.text(1)),
                        lastSeen: Timestamp(milliseconds: row.integer(2) ?? 0),
                        clock: row.integer(3) == 1 ? .synchronised : .unsynchronised,
                        batches: counts["telemetry"]?[name] ?? 0,
                        events: counts["events"]?[name] ?? 0,
                        findings: counts["findings"]?[name] ?? 0
                    )
                )
            }
            return holdings
        }
    }
}
