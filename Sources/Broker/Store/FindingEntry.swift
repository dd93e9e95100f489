// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// What a specialist has found out about a vehicle.
package struct FindingEntry: Hashable, Sendable {
    /// How many are kept of a vehicle.
    static let limit: Int64 = 100
    /// How many are kept of all vehicles together.
    static let limitOfAll: Int64 = 1000

    /// The vehicle's topic level.
    package let vehicle: String
    /// When it came, on the monotonic clock of this boot.
    package let at: MonotonicTime
    /// A JSON object.
    package let body: [UInt8]

    package init(vehicle: String, at: MonotonicTime, body: [UInt8]) {
        self.vehicle = vehicle
        self.at = at
        self.body = body
    }
}

// What specialists have found. No other record pushes it out: only newer findings do.
extension StoreFile {
    /// Whether a vehicle of this name was ever identified.
    func knows(_ vehicle: String) throws(StoreError) -> Bool {
        try Self.translating { () throws(SQLiteError) in
            try self.database.integer("SELECT 1 FROM vehicles WHERE name = ?", [.text(vehicle)]) != nil
        }
    }

    /// The body of the newest finding about a vehicle.
    func lastFinding(of vehicle: String) throws(StoreError) -> [UInt8]? {
        try Self.translating { () throws(SQLiteError) in
            var body: [UInt8]?
            try self.database.run(
                "SELECT body FROM findings WHERE vehicle = ? ORDER BY number DESC LIMIT 1",
                [.text(vehicle)]
            ) { body = $0.blob(0) }
            return body
        }
    }

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
        // Together they take a quarter of the room at most, so that a small file has room for the rest.
        try self.database.run(
            """
            DELETE FROM findings WHERE number IN (SELECT number FROM (SELECT number,
            row_number() OVER (PARTITION BY vehicle ORDER BY number DESC) AS own,
            row_number() OVER (ORDER BY number DESC) AS overall,
            sum(length(body)) OVER (ORDER BY number DESC) AS bytes FROM findings)
            WHERE own > \(FindingEntry.limit) OR overall > \(FindingEntry.limitOfAll) OR bytes > \(self.limit / 4))
            """
        )
    }
}
