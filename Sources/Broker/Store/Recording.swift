// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract
import EventLoop
import SQLite

/// The recording of an agent, read by another process.
///
/// The agent may run at the same time.
///
/// Reading takes no lock that the agent waits for.
package final class Recording {
    /// A kind of record.
    package enum Kind: String, CaseIterable, Sendable {
        case samples, track, codes, findings

        var table: String {
            switch self {
            case .samples, .track: RecordStream.telemetry.rawValue
            case .codes: RecordStream.events.rawValue
            case .findings: "findings"
            }
        }

        var key: String { self == .findings ? "number" : "id" }
    }

    /// A known vehicle.
    package struct Vehicle: Hashable, Sendable {
        /// The vehicle's topic level.
        package var name: String
        package var vin: String?
    }

    /// A record: a batch of samples, an event, or a finding.
    package struct Entry: Hashable, Sendable {
        package var id: RecordID
        package var time: Timestamp
        /// Whether the time is right.
        package var clock: ClockQuality
        /// A JSON object.
        package var body: [UInt8]
    }

    /// The number of records that are read at once.
    private static let pageLength = 64
    /// The timeout of a wait for another process that holds the file, in milliseconds.
    static let busyTimeout = Duration.seconds(10)

    private let path: String
    let database: Database

    /// Opens the recording in a state directory, without changing it.
    ///
    /// - Throws: ``StoreError``, also if another version of the agent has written the file.
    package init(in directory: String) throws(StoreError) {
        let path = "\(directory)/\(StoreFile.name)"
        // Opening a named pipe would block.
        guard TextFile.isRegular(path), TextFile.bytes(of: path, limit: 1) != nil else { throw .noDatabase(path) }
        self.path = path
        let found: (version: Int64, isReadable: Bool)
        (self.database, found) = try StoreError.wrapping { () throws(SQLiteError) in
            let database = try Database(path, .readOnly, busyTimeout: Self.busyTimeout)
            return (database, try Schema.check(database))
        }
        guard found.isReadable else { throw .newer(version: found.version, path: path) }
        guard found.version >= Schema.version else { throw .older(version: found.version, path: path) }
    }

    /// Returns the vehicles, the last connected one at the end.
    package func vehicles() throws(StoreError) -> [Vehicle] {
        try StoreError.wrapping { () throws(SQLiteError) in
            var vehicles: [Vehicle] = []
            try self.database.run("SELECT name, vin FROM vehicles ORDER BY number") { row in
                if let name = row.text(0) { vehicles.append(Vehicle(name: name, vin: row.text(1))) }
            }
            return vehicles
        }
    }

    /// Returns the stored state of a vehicle, as the agent has kept it; nil if there is none of this kind.
    package func state(_ kind: StoredState.Kind, of vehicle: String) throws(StoreError) -> [UInt8]? {
        try StoreError.wrapping { () throws(SQLiteError) in
            try VehicleTables(database: self.database).state(kind, of: vehicle)
        }
    }

    /// Returns the newest record of a kind, of any vehicle; nil if there is none.
    package func last(_ kind: Kind) throws(StoreError) -> RecordID? {
        try StoreError.wrapping { () throws(SQLiteError) in
            try self.database.integer("SELECT max(\(kind.key)) FROM \(kind.table)").map { RecordID(rawValue: $0) }
        }
    }

    /// Returns the next records of a vehicle, in the order of their birth; none at the end.
    package func entries(
        _ kind: Kind,
        of vehicle: String,
        after: RecordID,
        through: RecordID
    ) throws(StoreError) -> [Entry] {
        try StoreError.wrapping { () throws(SQLiteError) in
            var entries: [Entry] = []
            try self.database.run(
                """
                SELECT r.\(kind.key), b.started, b.trusted, r.at, r.body FROM \(kind.table) r
                LEFT JOIN boots b ON b.id = r.boot WHERE r.\(kind.key) > ? AND r.\(kind.key) <= ? AND r.vehicle = ?
                ORDER BY r.\(kind.key) LIMIT \(Self.pageLength)
                """,
                [.integer(after.rawValue), .integer(through.rawValue), .text(vehicle)]
            ) { row in
                let start = Timestamp(milliseconds: row.integer(1) ?? 0)
                entries.append(
                    Entry(
                        id: RecordID(rawValue: row.integer(0) ?? 0),
                        time: start + .milliseconds(row.integer(3) ?? 0),
                        clock: row.integer(2) == 1 ? .synchronised : .unsynchronised,
                        body: row.blob(4) ?? []
                    )
                )
            }
            return entries
        }
    }

    /// Returns the findings of specialists about a vehicle, the newest last.
    package func findings(of vehicle: String) throws(StoreError) -> [Finding] {
        try StoreError.wrapping { () throws(SQLiteError) in
            var findings: [Finding] = []
            try self.database.run("SELECT body FROM findings WHERE vehicle = ? ORDER BY number", [.text(vehicle)]) {
                guard let json = try? JSON(parsing: $0.blob(0) ?? [], depthLimit: 8), let finding = Finding(json)
                else { return }
                findings.append(finding)
            }
            return findings
        }
    }

    /// Removes acknowledged records, and with the last of them the vehicle itself.
    ///
    /// Records without an acknowledgement stay. The last connected vehicle stays known.
    ///
    /// - Returns: the number of removed records.
    package func remove(_ kind: Kind, _ ids: [RecordID], of vehicle: String) throws(StoreError) -> Int {
        let path = self.path
        return try StoreError.wrapping { () throws(SQLiteError) in
            let database = try Database(path, busyTimeout: Self.busyTimeout)
            let sent: RecordID? =
                kind == .findings
                ? nil
                : RecordID(
                    rawValue: try database.integer("SELECT sent FROM streams WHERE name = ?", [.text(kind.table)]) ?? 0
                )
            var removed = 0
            var rest = ids.filter { id in sent.map { id <= $0 } ?? true }[...]
            // Short transactions leave the agent time to write.
            while !rest.isEmpty {
                try database.transaction { () throws(SQLiteError) in
                    for id in rest.prefix(Self.pageLength) {
                        try database.run(
                            "DELETE FROM \(kind.table) WHERE \(kind.key) = ?",
                            [.integer(id.rawValue)]
                        )
                        removed += database.changes
                    }
                }
                rest = rest.dropFirst(Self.pageLength)
            }
            try database.transaction { () throws(SQLiteError) in
                try Self.forgetVehicleWithoutRecords(vehicle, in: database)
            }
            return removed
        }
    }

    private static func forgetVehicleWithoutRecords(_ vehicle: String, in database: Database) throws(SQLiteError) {
        let isGone = try database.integer(
            """
            SELECT 1 WHERE ?1 <> (SELECT name FROM vehicles ORDER BY number DESC LIMIT 1)
            AND NOT EXISTS (SELECT 1 FROM telemetry WHERE vehicle = ?1)
            AND NOT EXISTS (SELECT 1 FROM responses WHERE vehicle = ?1)
            AND NOT EXISTS (SELECT 1 FROM events WHERE vehicle = ?1 AND (precious = 1
                OR id > coalesce((SELECT sent FROM streams WHERE name = 'events'), 0)))
            """,
            [.text(vehicle)]
        )
        guard isGone == 1 else { return }
        try VehicleTables(database: database).forget(vehicle)
    }

    // MARK: - Dates

    /// The largest lag of a clock behind ``latestDate()`` that does not mean that the clock was set back.
    package static let dateTolerance = DateMemory.tolerance

    /// Returns the latest date that has certainly passed; nil if there is none.
    package func latestDate() throws(StoreError) -> Timestamp? {
        try StoreError.wrapping { () throws(SQLiteError) in try MetaTable(database: self.database).dates()?.latest }
    }

    /// Sets the latest passed date and the start of the journal to the current date.
    ///
    /// Commands from before no longer change the vehicle.
    package func resetDates(to now: Timestamp) throws(StoreError) {
        let path = self.path
        try StoreError.wrapping { () throws(SQLiteError) in
            try MetaTable(database: Database(path, busyTimeout: Self.busyTimeout)).resetDates(to: now)
        }
    }

    // MARK: - Last values

    /// Returns the newest value of each parameter of a vehicle, and the date of the boot of its reading.
    package func lastValues(of vehicle: String) throws(StoreError) -> [(value: LastValue, start: BootStart)] {
        try StoreError.wrapping { () throws(SQLiteError) in
            var values: [(value: LastValue, start: BootStart)] = []
            try self.database.run(
                """
                SELECT v.series, v.ecu, v.value, v.label, v.unit, v.at, b.started, b.trusted FROM last_values v
                LEFT JOIN boots b ON b.id = v.boot WHERE v.vehicle = ? ORDER BY v.series
                """,
                [.text(vehicle)]
            ) { row in
                guard let series = row.text(0), let text = row.text(2),
                    let value = try? JSON(parsing: Array(text.utf8), depthLimit: 4)
                else { return }
                let last = LastValue(
                    vehicle: vehicle,
                    series: series,
                    ecu: row.text(1) ?? "",
                    value: value,
                    label: row.text(3),
                    unit: row.text(4),
                    at: MonotonicTime(sinceBoot: .milliseconds(row.integer(5) ?? 0))
                )
                let quality: ClockQuality = row.integer(7) == 1 ? .synchronised : .unsynchronised
                values.append((last, BootStart(date: Timestamp(milliseconds: row.integer(6) ?? 0), quality: quality)))
            }
            return values
        }
    }

    /// Removes the last values of a vehicle.
    ///
    /// Later readings are stored again.
    package func clearLastValues(of vehicle: String) throws(StoreError) {
        let path = self.path
        try StoreError.wrapping { () throws(SQLiteError) in
            try Database(path, busyTimeout: Self.busyTimeout)
                .run("DELETE FROM last_values WHERE vehicle = ?", [.text(vehicle)])
        }
    }
}
