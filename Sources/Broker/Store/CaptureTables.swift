// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import SQLite

/// The event that is still being made, and the numbers of captures in a day.
struct CaptureTables {
    /// The largest number of rules whose captures are counted.
    static let ruleLimit = 64

    let database: Database

    // MARK: - The draft

    /// Writes the event that is still being made; nil removes it.
    func write(draft: Store.Draft?, boot: Int64) throws(SQLiteError) {
        try self.database.run("DELETE FROM drafts")
        guard let draft else { return }
        try self.database.run(
            "INSERT INTO drafts (id, boot, at, vehicle, body) VALUES (1, ?, ?, ?, ?)",
            [
                .integer(boot), .integer(draft.at.sinceBoot.milliseconds), .text(draft.destination.vehicle),
                .blob(draft.body),
            ]
        )
    }

    /// Makes a record of the event that an earlier process did not complete.
    ///
    /// - Parameter epoch: the epoch that has just begun, in which no event has a number yet.
    /// - Returns: the last number of an event in that epoch; 0 without a draft.
    func promoteDraft(in epoch: UInt64) throws(SQLiteError) -> UInt64 {
        guard try self.database.integer("SELECT count(*) FROM drafts") ?? 0 > 0 else { return 0 }
        try self.database.run(
            """
            INSERT INTO \(RecordStream.events.rawValue) (id, boot, at, vehicle, body, precious)
            SELECT ?, boot, at, vehicle, body, 1 FROM drafts WHERE id = 1
            """,
            [.integer(RecordID(epoch: epoch, seq: 1).rawValue)]
        )
        try self.database.run("DELETE FROM drafts")
        return 1
    }

    // MARK: - The counts

    /// Returns the numbers of captures on the last day for which they were written.
    func counts() throws(SQLiteError) -> DayCaptures? {
        guard let date = try self.database.integer("SELECT max(date) FROM captures") else { return nil }
        var captures = DayCaptures(date: date, byRule: [:])
        try self.database.run("SELECT rule, count FROM captures WHERE date = ?", [.integer(date)]) { row in
            if let rule = row.text(0), let count = row.integer(1) { captures.byRule[rule] = Int(max(0, count)) }
        }
        return captures
    }

    /// Writes the numbers of captures on a day in place of those of another day.
    func write(_ captures: DayCaptures) throws(SQLiteError) {
        try self.database.run("DELETE FROM captures")
        for (rule, count) in captures.byRule.prefix(Self.ruleLimit) {
            try self.database.run(
                "INSERT INTO captures (rule, date, count) VALUES (?, ?, ?)",
                [.text(rule), .integer(captures.date), .integer(Int64(count))]
            )
        }
    }
}
