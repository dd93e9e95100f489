// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import SQLite

/// The boots of the machine on the disk, with the date of each.
struct BootTable {
    /// The largest number of boots.
    private static let limit: Int64 = 10_000
    /// The change of a date from which it is written again, in milliseconds: the jitter of the clocks is smaller.
    private static let jitter = 100

    let database: Database

    /// Returns the date of a boot; nil if the boot is unknown.
    func start(of boot: String) throws(SQLiteError) -> BootStart? {
        var start: BootStart?
        try self.database.run("SELECT started, trusted FROM boots WHERE boot = ?", [.text(boot)]) { row in
            guard let started = row.integer(0) else { return }
            start = BootStart(
                date: Timestamp(milliseconds: started),
                quality: row.integer(1) == 1 ? .synchronised : .unsynchronised
            )
        }
        return start
    }

    /// Returns the row number of a boot; nil if the boot is unknown.
    func row(of boot: String) throws(SQLiteError) -> Int64? {
        try self.database.integer("SELECT id FROM boots WHERE boot = ?", [.text(boot)])
    }

    /// Writes the date of a boot.
    ///
    /// A trusted date is never replaced by one that is not.
    ///
    /// - Returns: the boot's row number.
    func write(_ boot: String, _ start: BootStart) throws(SQLiteError) -> Int64 {
        try self.database.run(
            """
            INSERT INTO boots (boot, started, trusted) VALUES (?1, ?2, ?3) ON CONFLICT (boot) DO UPDATE
            SET started = ?2, trusted = ?3
            WHERE ?3 >= trusted AND (abs(started - ?2) > \(Self.jitter) OR trusted <> ?3)
            """,
            [
                .text(boot), .integer(start.date.milliseconds),
                .integer(start.quality == .synchronised ? 1 : 0),
            ]
        )
        let id = try self.database.integer("SELECT id FROM boots WHERE boot = ?", [.text(boot)]) ?? 0
        try self.database.run("DELETE FROM boots WHERE id < ?", [.integer(id - Self.limit)])
        return id
    }

    /// Returns the date of a boot or, if that is not trusted, of the next boot with a trusted date; nil without one.
    func trustedStart(from boot: Int64) throws(SQLiteError) -> (started: Int64, isOwn: Bool)? {
        var found: (Int64, Bool)?
        try self.database.run(
            "SELECT started, id FROM boots WHERE id >= ? AND trusted = 1 ORDER BY id LIMIT 1",
            [.integer(boot)]
        ) { row in found = row.integer(0).map { ($0, row.integer(1) == boot) } }
        return found
    }
}
