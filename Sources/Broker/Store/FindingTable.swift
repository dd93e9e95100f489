// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import SQLite

/// The findings on the disk.
///
/// They are dropped for newer findings only, never for other records.
struct FindingTable {
    /// The part of the database's limit that findings may take, so that a small file has room for the rest: 1 / 4.
    private static let limitDivisor: Int64 = 4

    let database: Database
    /// The largest size of the database in bytes.
    let limit: Int64

    /// Returns the body of the newest finding about a vehicle; nil if there is none.
    func last(of vehicle: String) throws(SQLiteError) -> [UInt8]? {
        var body: [UInt8]?
        try self.database.run(
            "SELECT body FROM findings WHERE vehicle = ? ORDER BY number DESC LIMIT 1",
            [.text(vehicle)]
        ) { body = $0.blob(0) }
        return body
    }

    /// Writes findings, and deletes the oldest beyond the limits.
    func write(_ findings: [FindingEntry], boot: Int64) throws(SQLiteError) {
        guard !findings.isEmpty else { return }
        for finding in findings {
            try self.database.run(
                "INSERT INTO findings (vehicle, boot, at, body) VALUES (?, ?, ?, ?)",
                [
                    .text(finding.vehicle), .integer(boot), .integer(finding.at.sinceBoot.milliseconds),
                    .blob(finding.body),
                ]
            )
        }
        try self.database.run(
            """
            DELETE FROM findings WHERE number IN (SELECT number FROM (SELECT number,
            row_number() OVER (PARTITION BY vehicle ORDER BY number DESC) AS own,
            row_number() OVER (ORDER BY number DESC) AS overall,
            sum(length(body)) OVER (ORDER BY number DESC) AS bytes FROM findings)
            WHERE own > \(FindingEntry.limit) OR overall > \(FindingEntry.limitOfAll)
            OR bytes > \(self.limit / Self.limitDivisor))
            """
        )
    }
}
