// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import SQLite

/// The named numbers of the database: the epoch, the dates that have passed, the start of the journal, the traffic.
struct MetaTable {
    private enum Name: String {
        case epoch
        case latestDate = "date_latest"
        case candidateDate = "date_candidate"
        case candidateAge = "date_ran"
        case journalStart = "journal_begins"
        case trafficDate = "traffic_date"
        case trafficBytes = "traffic_bytes"
        case resentBytes = "traffic_resent"
        case readableBy = "readable_by"
    }

    let database: Database

    private func number(_ name: Name) throws(SQLiteError) -> Int64? {
        try self.database.integer("SELECT value FROM meta WHERE name = ?", [.text(name.rawValue)])
    }

    private func set(_ name: Name, _ number: Int64) throws(SQLiteError) {
        try self.database.run(
            "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)",
            [.text(name.rawValue), .integer(number)]
        )
    }

    // MARK: - Schema

    /// Returns the lowest schema version whose agents can read and write the file; nil if none was written.
    func readableBy() throws(SQLiteError) -> Int64? { try self.number(.readableBy) }

    /// Writes that version, unless the file has it already.
    func write(readableBy version: Int64) throws(SQLiteError) {
        if try self.readableBy() != version { try self.set(.readableBy, version) }
    }

    // MARK: - Epoch and traffic

    /// Returns the last epoch; nil if none has begun.
    func epoch() throws(SQLiteError) -> UInt64? { try self.number(.epoch).map { UInt64(max(0, $0)) } }

    func write(epoch: UInt64) throws(SQLiteError) { try self.set(.epoch, Int64(epoch)) }

    /// Returns the sent bytes of the last day for which they were written.
    func traffic() throws(SQLiteError) -> DayTraffic? {
        guard let date = try self.number(.trafficDate), let bytes = try self.number(.trafficBytes) else { return nil }
        let resent = try self.number(.resentBytes) ?? 0
        return DayTraffic(date: date, bytes: Int(max(0, bytes)), resent: Int(max(0, resent)))
    }

    func write(_ traffic: DayTraffic) throws(SQLiteError) {
        try self.set(.trafficDate, traffic.date)
        try self.set(.trafficBytes, Int64(traffic.bytes))
        try self.set(.resentBytes, Int64(traffic.resent))
    }

    // MARK: - Dates

    /// Returns the dates that were written last; nil if none were.
    func dates() throws(SQLiteError) -> DateMemory.Dates? {
        guard let candidate = try self.number(.candidateDate) else { return nil }
        return DateMemory.Dates(
            latest: try self.number(.latestDate).map(Timestamp.init(milliseconds:)),
            candidate: Timestamp(milliseconds: candidate),
            candidateAge: .milliseconds(try self.number(.candidateAge) ?? 0)
        )
    }

    func write(_ dates: DateMemory.Dates) throws(SQLiteError) {
        let numbers = [
            (Name.latestDate, dates.latest?.milliseconds), (.candidateDate, dates.candidate?.milliseconds),
            (.candidateAge, dates.candidateAge.milliseconds),
        ]
        for case (let name, let number?) in numbers { try self.set(name, number) }
    }

    /// Sets the latest passed date and the start of the journal to the current date.
    ///
    /// The journal may have deleted commands by a wrong date, so it must not vouch for any time before the reset.
    func resetDates(to now: Timestamp) throws(SQLiteError) {
        try self.database.transaction { () throws(SQLiteError) in
            try self.write(DateMemory.Dates(latest: now, candidate: now))
            try self.set(.journalStart, now.milliseconds)
        }
    }

    // MARK: - The start of the journal

    /// Returns the date from which the journal is complete; nil if it is unknown.
    func journalStart() throws(SQLiteError) -> Timestamp? {
        try self.number(.journalStart).map(Timestamp.init(milliseconds:))
    }

    /// Writes the start of the journal if there is none.
    ///
    /// - Parameters:
    ///   - date: the date at which this file was opened.
    ///   - now: the current date, if it is certain. A start after it came from a wrong clock, and is corrected.
    func beginJournal(at date: Timestamp, now: Timestamp?) throws(SQLiteError) {
        try self.database.run(
            "INSERT OR IGNORE INTO meta (name, value) VALUES (?, ?)",
            [.text(Name.journalStart.rawValue), .integer(date.milliseconds)]
        )
        guard let now else { return }
        try self.database.run(
            "UPDATE meta SET value = ?2 WHERE name = ?1 AND value > ?3",
            [
                .text(Name.journalStart.rawValue), .integer(now.milliseconds),
                .integer((now + DateMemory.tolerance).milliseconds),
            ]
        )
    }

    /// Moves the start of the journal to a date, unless it is later already.
    func moveJournalStart(to date: Timestamp) throws(SQLiteError) {
        try self.database.run(
            "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = max(value, ?2)",
            [.text(Name.journalStart.rawValue), .integer(date.milliseconds)]
        )
    }
}
