// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Base

// The latest date that has certainly passed, and the beginning of the journal.
extension StoreFile {
    /// The names of numbers in `meta`.
    private static let (latest, candidate, ran) = ("date_latest", "date_candidate", "date_ran")
    static let journalBegins = "journal_begins"

    /// Returns the dates that were written last; nil if none were.
    static func dates(in database: Database) throws(SQLiteError) -> DateMemory.Kept? {
        guard let candidate = try Self.number(Self.candidate, in: database) else { return nil }
        return DateMemory.Kept(
            latest: try Self.number(Self.latest, in: database).map(Timestamp.init(milliseconds:)),
            candidate: Timestamp(milliseconds: candidate),
            ran: .milliseconds(try Self.number(Self.ran, in: database) ?? 0)
        )
    }

    static func write(_ dates: DateMemory.Kept, to database: Database) throws(SQLiteError) {
        let numbers = [
            (Self.latest, dates.latest?.milliseconds), (Self.candidate, dates.candidate?.milliseconds),
            (Self.ran, dates.ran.milliseconds),
        ]
        for case (let name, let number?) in numbers { try Self.set(name, number, in: database) }
    }

    /// Makes the present date the latest that has passed, and lets the journal begin now.
    ///
    /// The journal may have forgotten commands by a date that was wrong, so none of before changes the vehicle.
    static func reset(to now: Timestamp, in database: Database) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            try Self.write(DateMemory.Kept(latest: now, candidate: now), to: database)
            try Self.set(Self.journalBegins, now.milliseconds, in: database)
        }
    }

    /// The date at which the journal begins; nil where none is known.
    func journalBegins() throws(SQLiteError) -> Timestamp? {
        try Self.number(Self.journalBegins, in: self.database).map(Timestamp.init(milliseconds:))
    }

    /// Writes down once when the journal begins.
    ///
    /// - Parameters:
    ///   - date: the date at which this file was opened.
    ///   - now: the present date, if it is certain. A beginning that comes after it was told by a clock that was wrong.
    func beginJournal(at date: Timestamp, now: Timestamp?) throws(SQLiteError) {
        try self.database.run(
            "INSERT OR IGNORE INTO meta VALUES (?, ?)",
            [.text(Self.journalBegins), .integer(date.milliseconds)]
        )
        guard let now else { return }
        try self.database.run(
            "UPDATE meta SET value = ?2 WHERE name = ?1 AND value > ?3",
            [
                .text(Self.journalBegins), .integer(now.milliseconds),
                .integer((now + DateMemory.tolerance).milliseconds),
            ]
        )
    }

    private static func number(_ name: String, in database: Database) throws(SQLiteError) -> Int64? {
        try database.integer("SELECT value FROM meta WHERE name = ?", [.text(name)])
    }

    private static func set(_ name: String, _ number: Int64, in database: Database) throws(SQLiteError) {
        try database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", [.text(name), .integer(number)])
    }
}
