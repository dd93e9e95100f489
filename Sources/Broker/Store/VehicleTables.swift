// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import SQLite

/// The vehicles on the disk, with the states and the last values of each.
struct VehicleTables {
    /// The largest number of vehicles.
    static let limit: Int64 = 1000

    let database: Database

    /// Returns whether a vehicle of this name was ever identified.
    func contains(_ vehicle: String) throws(SQLiteError) -> Bool {
        try self.database.integer("SELECT 1 FROM vehicles WHERE name = ?", [.text(vehicle)]) != nil
    }

    /// Returns the last connected vehicle.
    func last() throws(SQLiteError) -> (name: String, mark: String?)? {
        var last: (String, String?)?
        try self.database.run("SELECT name, mark FROM vehicles ORDER BY number DESC LIMIT 1") { row in
            last = row.text(0).map { ($0, row.text(1)) }
        }
        return last
    }

    /// Returns the mark that identifies the vehicle of this name; nil if it is unknown.
    func mark(of vehicle: String) throws(SQLiteError) -> String? {
        var mark: String?
        try self.database.run("SELECT mark FROM vehicles WHERE name = ?", [.text(vehicle)]) { mark = $0.text(0) }
        return mark
    }

    /// Returns the marks that begin with a text, that of the vehicle that was connected last first, each with a state.
    func marks(
        startingWith prefix: String,
        with kind: StoredState.Kind,
        limit: Int
    ) throws(SQLiteError) -> [(mark: String, state: [UInt8]?)] {
        var marks: [(String, [UInt8]?)] = []
        try self.database.run(
            """
            SELECT coalesce(v.mark, v.name), s.body FROM vehicles v
            LEFT JOIN vehicle_states s ON s.vehicle = v.name AND s.kind = ?1
            WHERE substr(coalesce(v.mark, v.name), 1, length(?2)) = ?2 ORDER BY v.number DESC LIMIT ?3
            """,
            [.text(kind.rawValue), .text(prefix), .integer(Int64(limit))]
        ) { row in
            if let mark = row.text(0) { marks.append((mark, row.blob(1))) }
        }
        return marks
    }

    /// Returns the stored state of a vehicle; nil if there is none of this kind.
    func state(_ kind: StoredState.Kind, of vehicle: String) throws(SQLiteError) -> [UInt8]? {
        var body: [UInt8]?
        try self.database.run(
            "SELECT body FROM vehicle_states WHERE vehicle = ? AND kind = ?",
            [.text(vehicle), .text(kind.rawValue)]
        ) { body = $0.blob(0) }
        return body
    }

    /// Returns the date of the vehicle's newest value; nil if there is none, or no value has a trusted date.
    func lastValueTime(of vehicle: String) throws(SQLiteError) -> Timestamp? {
        try self.database.integer(
            """
            SELECT max(b.started + v.at) FROM last_values v JOIN boots b ON b.id = v.boot
            WHERE v.vehicle = ? AND b.trusted = 1
            """,
            [.text(vehicle)]
        ).map(Timestamp.init(milliseconds:))
    }

    // MARK: - Writing

    func write(_ vehicle: VehicleEntry, boot: Int64) throws(SQLiteError) {
        guard try self.last()?.name != vehicle.name else {
            // The connected vehicle has not changed. Its row number orders the vehicles by connection, so the row stays.
            return try self.database.run(
                "UPDATE vehicles SET vin = ?2, mark = ?3 WHERE name = ?1 AND (vin IS NOT ?2 OR mark IS NOT ?3)",
                [.text(vehicle.name), SQLiteValue(vehicle.vin), SQLiteValue(vehicle.mark)]
            )
        }
        // A new row has the highest number.
        try self.database.run(
            "INSERT OR REPLACE INTO vehicles (name, vin, mark, boot, at) VALUES (?, ?, ?, ?, ?)",
            [
                .text(vehicle.name), SQLiteValue(vehicle.vin), SQLiteValue(vehicle.mark), .integer(boot),
                .integer(vehicle.at.sinceBoot.milliseconds),
            ]
        )
        try self.database.run(
            "DELETE FROM vehicles WHERE number <= (SELECT max(number) FROM vehicles) - \(Self.limit)"
        )
    }

    func write(_ value: LastValue, boot: Int64) throws(SQLiteError) {
        try self.database.run(
            """
            INSERT OR REPLACE INTO last_values (vehicle, series, ecu, value, label, unit, boot, at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(value.vehicle), .text(value.series), .text(value.ecu), .text(value.value.text),
                SQLiteValue(value.label), SQLiteValue(value.unit), .integer(boot),
                .integer(value.at.sinceBoot.milliseconds),
            ]
        )
    }

    func write(_ state: StoredState, of vehicle: String) throws(SQLiteError) {
        try self.database.run(
            "INSERT OR REPLACE INTO vehicle_states (vehicle, kind, body) VALUES (?, ?, ?)",
            [.text(vehicle), .text(state.kind.rawValue), .blob(state.body)]
        )
    }

    // MARK: - Forgetting

    /// Removes the vehicles without a record, except for the connected one.
    ///
    /// All records of a vehicle are older than the connection of the next vehicle.
    func forgetVehiclesWithoutRecords() throws(SQLiteError) {
        var oldest: (boot: Int64, at: Int64)?
        for stream in RecordStream.allCases {
            try self.database.run("SELECT boot, at FROM \(stream.rawValue) ORDER BY id LIMIT 1") { row in
                guard let boot = row.integer(0), let at = row.integer(1) else { return }
                if oldest.map({ (boot, at) < $0 }) ?? true { oldest = (boot, at) }
            }
        }
        var vehicles: [(name: String, boot: Int64, at: Int64)] = []
        try self.database.run("SELECT name, boot, at FROM vehicles ORDER BY number") { row in
            guard let name = row.text(0), let boot = row.integer(1), let at = row.integer(2) else { return }
            vehicles.append((name, boot, at))
        }
        for (vehicle, next) in zip(vehicles, vehicles.dropFirst())
        where oldest.map({ (next.boot, next.at) < $0 }) ?? true {
            try self.forget(vehicle.name)
        }
    }

    /// Removes a vehicle with its states and its last values, unless it has findings.
    ///
    /// Its commands stay in the journal until they expire there, because a copy of them may still arrive.
    func forget(_ vehicle: String) throws(SQLiteError) {
        guard try self.database.integer("SELECT 1 FROM findings WHERE vehicle = ? LIMIT 1", [.text(vehicle)]) == nil
        else { return }
        try self.database.run("DELETE FROM vehicles WHERE name = ?", [.text(vehicle)])
        for table in ["vehicle_states", "last_values"] {
            try self.database.run("DELETE FROM \(table) WHERE vehicle = ?", [.text(vehicle)])
        }
    }
}
