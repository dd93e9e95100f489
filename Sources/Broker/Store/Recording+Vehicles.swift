// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract

extension Recording {
    /// What there is of a vehicle.
    package struct Holding: Hashable, Sendable {
        package var vehicle: Vehicle
        /// When it has told something last or, where it never did, when it was identified.
        package var seen: Timestamp
        /// Whether that time is right.
        package var clock: ClockQuality
        /// The records of samples and of events.
        package var batches: Int64
        package var events: Int64
        package var findings: Int64
    }

    /// All vehicles and what there is of them, the one that was connected last at the end.
    package func holdings() throws(StoreError) -> [Holding] {
        try StoreFile.translating { () throws(SQLiteError) in
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
                        seen: Timestamp(milliseconds: row.integer(2) ?? 0),
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
