// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop

/// Removes a vehicle from the files of a state directory, while no agent runs there.
package final class VehicleErasure {
    /// A row of the vehicles: what it is called, its VIN, and what tells it from others.
    package struct Vehicle: Hashable, Sendable {
        package let name: String
        package let vin: String?
        package let mark: String?
    }

    /// The replacement for the vehicle's names in records of other vehicles, which stay.
    package static let substitute = "forgotten"

    /// A command's date may be later than its arrival by the error of the sender's clock, and some.
    private static let longestSenderError: Int64 = 120_000

    private let directory: String
    private let database: Database

    /// Opens the database of a state directory.
    ///
    /// - Throws: ``StoreError``, also where the file is of another version of the agent.
    package init(in directory: String) throws(StoreError) {
        // It looks at the version.
        _ = try Recording(in: directory)
        self.directory = directory
        self.database = try StoreFile.translating { () throws(SQLiteError) in
            let database = try Database("\(directory)/\(StoreFile.name)", busyTimeout: Recording.busyTimeout)
            // What is deleted is written over.
            try database.run("PRAGMA secure_delete = ON")
            return database
        }
    }

    // MARK: - What there is

    /// All vehicles that were connected.
    package func vehicles() throws(StoreError) -> [Vehicle] {
        try StoreFile.translating { () throws(SQLiteError) in
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
        try StoreFile.translating { () throws(SQLiteError) in
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

    /// The series of which the vehicle has told values.
    package func series(of names: Set<String>) throws(StoreError) -> Set<String> {
        try StoreFile.translating { () throws(SQLiteError) in
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
        try StoreFile.translating { () throws(SQLiteError) in
            var entries: [AnnouncedEntry] = []
            try self.database.run("SELECT id, body FROM announced") { row in
                if let id = row.text(0), let body = row.blob(1) { entries.append(AnnouncedEntry(id: id, body: body)) }
            }
            return entries
        }
    }

    /// Damaged databases, which may hold any vehicle, and can't be searched.
    package var damagedFiles: [String] {
        (1...StoreFile.setAsideLimit).map { "\(self.directory)/\(StoreFile.name).corrupt-\($0)" }
            .flatMap { [$0, $0 + "-wal"] }.filter(TextFile.isRegular)
    }

    /// The tables with rows of vehicles, and the column that names it.
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

    // MARK: - Its end

    /// Removes all rows of the vehicle of these names, and its names from the rows of others; then nothing of it is left in
    /// the bytes of the file and of its log.
    ///
    /// - Parameters:
    ///   - names: whatever it is called: topic levels, VINs, marks.
    ///   - announced: the ids of its entries in ``announced()``.
    package func erase(_ names: Set<String>, announced: Set<String>) throws(StoreError) {
        try StoreFile.translating { () throws(SQLiteError) in
            try self.database.transaction { () throws(SQLiteError) in
                try self.beginJournal(after: names)
                for (table, column) in try self.tables() {
                    for name in names.union(table == "announced" ? announced : []) {
                        try self.database.run("DELETE FROM \(table) WHERE \(column) = ?", [.text(name)])
                    }
                }
                for (table, key, column) in [
                    ("telemetry", "id", "body"), ("events", "id", "body"), ("responses", "id", "body"),
                    ("findings", "number", "body"), ("commands", "number", "response"), ("announced", "rowid", "body"),
                ] { try self.replace(names, in: column, of: table, key) }
            }
            // What was deleted before is in pages that are free, or half empty.
            try self.database.run("VACUUM")
            var isBusy = true
            try self.database.run("PRAGMA wal_checkpoint(TRUNCATE)") { isBusy = $0.integer(0) != 0 }
            guard !isBusy else { throw .busy("empty the log of \(StoreFile.name)") }
        }
    }

    /// A command that is not in the journal any more is not obeyed a second time: older ones are refused.
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
            try self.database.run(
                """
                INSERT INTO meta VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = max(value, ?2)
                """,
                [.text(StoreFile.journalBegins), .integer(last + Self.longestSenderError)]
            )
        }
    }

    /// Replaces what names the vehicle in the rows of others: where it is all of a text, and anywhere what nothing else is
    /// called.
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
            // A key of the object stays one.
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
