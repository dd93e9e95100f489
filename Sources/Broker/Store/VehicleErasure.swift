// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import SQLite

/// Removes a vehicle from the files of a state directory.
///
/// The agent must not run.
package final class VehicleErasure {
    /// A row of the vehicles: the name, the VIN, and the mark that identifies the vehicle.
    package struct Vehicle: Hashable, Sendable {
        package let name: String
        package let vin: String?
        package let mark: String?
    }

    /// The replacement of the vehicle's names in the records of other vehicles.
    package static let substitute = "forgotten"

    /// The largest assumed error of a sender's clock, in milliseconds: a command may be dated after its arrival.
    private static let longestSenderError: Int64 = 120_000

    private let directory: String
    private let database: Database

    /// Opens the database of a state directory.
    ///
    /// - Throws: ``StoreError``, also if another version of the agent has written the file.
    package init(in directory: String) throws(StoreError) {
        // This checks the version.
        _ = try Recording(in: directory)
        self.directory = directory
        self.database = try StoreError.wrapping { () throws(SQLiteError) in
            let database = try Database("\(directory)/\(StoreFile.name)", busyTimeout: Recording.busyTimeout)
            // Deleted rows are overwritten.
            try database.run("PRAGMA secure_delete = ON")
            return database
        }
    }

    // MARK: - Finding

    /// Returns all vehicles that were connected.
    package func vehicles() throws(StoreError) -> [Vehicle] {
        try StoreError.wrapping { () throws(SQLiteError) in
            var vehicles: [Vehicle] = []
            try self.database.run("SELECT name, vin, mark FROM vehicles ORDER BY number") { row in
                guard let name = row.text(0) else { return }
                vehicles.append(Vehicle(name: name, vin: row.text(1), mark: row.text(2)))
            }
            return vehicles
        }
    }

    /// Returns the number of rows of the vehicle with these names, by table.
    package func counts(of names: Set<String>) throws(StoreError) -> [(table: String, count: Int64)] {
        try StoreError.wrapping { () throws(SQLiteError) in
            var counts: [(table: String, count: Int64)] = []
            for (table, column) in try self.tables() {
                var count: Int64 = 0
                for name in names {
                    let sql = "SELECT count(*) FROM \(table) WHERE \(column) = ?"
                    count += try self.database.integer(sql, [.text(name)]) ?? 0
                }
                if count > 0 { counts.append((table, count)) }
            }
            return counts
        }
    }

    /// Returns the series with a value of the vehicle.
    package func series(of names: Set<String>) throws(StoreError) -> Set<String> {
        try StoreError.wrapping { () throws(SQLiteError) in
            var series: Set<String> = []
            for name in names {
                try self.database.run("SELECT series FROM last_values WHERE vehicle = ?", [.text(name)]) { row in
                    if let name = row.text(0) { series.insert(name) }
                }
            }
            return series
        }
    }

    /// Returns the announcements of vehicles outside of their topics.
    package func announced() throws(StoreError) -> [AnnouncedEntry] {
        try StoreError.wrapping { () throws(SQLiteError) in
            try AnnouncementTable(database: self.database).all()
        }
    }

    /// The files of damaged databases.
    ///
    /// They can't be searched, and may hold data of any vehicle.
    package var damagedFiles: [String] {
        (1...StoreFile.setAsideLimit).map { "\(self.directory)/\(StoreFile.name).corrupt-\($0)" }
            .flatMap { [$0, $0 + "-wal"] }.filter(TextFile.isRegular)
    }

    /// Returns the tables with rows of vehicles, and the column with the vehicle's name.
    private func tables() throws(SQLiteError) -> [(table: String, column: String)] {
        var tables: [(table: String, column: String)] = []
        try self.database.run(
            """
            SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
            WHERE m.type = 'table' AND c.name = 'vehicle' ORDER BY m.name
            """
        ) { row in
            if let table = row.text(0) { tables.append((table, "vehicle")) }
        }
        return tables + [("vehicles", "name"), ("announced", "id")]
    }

    // MARK: - Erasing

    /// Removes all rows of a vehicle, and its names from the rows of other vehicles.
    ///
    /// Afterwards the bytes of the file and of its log contain nothing of the vehicle.
    ///
    /// - Parameters:
    ///   - names: all names of the vehicle: topic levels, VINs, marks.
    ///   - announced: the ids of the vehicle's entries in ``announced()``.
    package func erase(_ names: Set<String>, announced: Set<String>) throws(StoreError) {
        try StoreError.wrapping { () throws(SQLiteError) in
            try self.database.transaction { () throws(SQLiteError) in
                try self.beginJournal(after: names)
                for (table, column) in try self.tables() {
                    for name in names.union(table == "announced" ? announced : []) {
                        try self.database.run("DELETE FROM \(table) WHERE \(column) = ?", [.text(name)])
                    }
                }
                for (table, key, column) in [
                    ("telemetry", "id", "body"), ("events", "id", "body"), ("responses", "id", "body"),
                    ("findings", "number", "body"), ("drafts", "id", "body"), ("commands", "number", "response"),
                    ("announced", "rowid", "body"),
                ] { try self.replace(names, in: column, of: table, key) }
            }
            // Rows that were deleted earlier are still in free and half empty pages.
            try self.database.run("VACUUM")
            var isBusy = true
            try self.database.run("PRAGMA wal_checkpoint(TRUNCATE)") { isBusy = $0.integer(0) != 0 }
            guard !isBusy else { throw .busy("empty the log of \(StoreFile.name)") }
        }
    }

    /// Moves the start of the journal after the erased commands, so that a copy of them is refused.
    private func beginJournal(after names: Set<String>) throws(SQLiteError) {
        for name in names {
            let last = try self.database.integer(
                """
                SELECT max(b.started + c.at) FROM commands c JOIN boots b ON b.id = c.boot
                WHERE c.vehicle = ? AND b.trusted = 1
                """,
                [.text(name)]
            )
            guard let last else { continue }
            try MetaTable(database: self.database)
                .moveJournalStart(to: Timestamp(milliseconds: last + Self.longestSenderError))
        }
    }

    /// Replaces the names of the vehicle in the rows of other vehicles.
    ///
    /// A short name is replaced if it is a whole JSON string, a long and therefore unique one anywhere.
    private func replace(
        _ names: Set<String>,
        in column: String,
        of table: String,
        _ key: String
    ) throws(SQLiteError) {
        for name in names {
            var changed: [(key: Int64, body: [UInt8])] = []
            try self.database.run(
                "SELECT \(key), \(column) FROM \(table) WHERE instr(\(column), ?) > 0",
                [.blob(Array(name.utf8))]
            ) { row in
                guard let number = row.integer(0), let body = row.blob(1) else { return }
                let rest = Self.body(body, without: name)
                if rest != body { changed.append((number, rest)) }
            }
            for row in changed {
                try self.database.run(
                    "UPDATE \(table) SET \(column) = ? WHERE \(key) = ?",
                    [.blob(row.body), .integer(row.key)]
                )
            }
        }
    }

    static func body(_ body: [UInt8], without name: String) -> [UInt8] {
        let isUnique = name.utf8.count >= 17
        let wanted = Array((isUnique ? name : "\"\(name)\"").utf8)
        let substitute = Array((isUnique ? Self.substitute : "\"\(Self.substitute)\"").utf8)
        var result: [UInt8] = []
        var rest = body[...]
        while let first = rest.first {
            let behind = rest.dropFirst(wanted.count)
            // A key of the object is not replaced.
            if rest.starts(with: wanted), isUnique || behind.first != UInt8(ascii: ":") {
                result += substitute
                rest = behind
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result
    }
}
