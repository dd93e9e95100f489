// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Base

// The records on the disk, and the one transaction that writes everything.
extension StoreFile {
    /// What a transaction writes.
    struct Batch {
        /// What is in memory only.
        var records: [StoredRecord] = []
        /// The telemetry batch that is still open, as it is; it has the id that it will have when it is closed.
        var draft: StoredRecord?
        /// How far each stream is acknowledged, and what of it is in flight and so not to be thrown away.
        var marks: [RecordStream: Mark] = [:]
        var boot: String
        var start: BootStart
        /// The dates that have passed, always with commands; nil if those on the disk are good enough.
        var dates: DateMemory.Kept?
        /// The time at which this file was opened.
        var opened: MonotonicTime
        /// The present date, if it is certain.
        var certainDate: Timestamp?
        var commands: [CommandEntry] = []
        var vehicles: [VehicleEntry] = []
        var selections: [String: [UInt8]] = [:]
        var findings: [FindingEntry] = []
        var values: [LastValue] = []
        var announced: [AnnouncedEntry]?
        var traffic: DayTraffic?
        /// Until when records expire, if it is time to look.
        var expiry: Expiry?

        struct Mark {
            var sent: RecordID
            var lastInFlight: RecordID?

            /// What the broker has, as ids of the database.
            var recorded: Range<Int64> { 0..<self.sent.rawValue + 1 }
            /// What it does not have, and is not in flight.
            var waiting: Range<Int64> { (self.lastInFlight ?? self.sent).rawValue + 1..<Int64.max }
        }
    }

    /// How many records one step of making room removes.
    private static let evictionStep: Int64 = 64
    /// How many records a page has that is read at once.
    static let pageLength: Int64 = 16

    /// The state of a stream on the disk.
    func state(of stream: RecordStream) throws(StoreError) -> (sent: RecordID, last: RecordID, waiting: Int) {
        try Self.translating { () throws(SQLiteError) in
            let sent = try self.database.integer("SELECT sent FROM streams WHERE name = ?", [.text(stream.rawValue)])
            let last = try self.database.integer("SELECT max(id) FROM \(stream.rawValue)")
            let waiting = try self.database.integer(
                "SELECT count(*) FROM \(stream.rawValue) WHERE id > ?",
                [.integer(sent ?? 0)]
            )
            return (RecordID(rawValue: sent ?? 0), RecordID(rawValue: last ?? 0), Int(waiting ?? 0))
        }
    }

    /// The records of a stream after one, in order; at most ``pageLength``.
    ///
    /// - Parameter boot: the present one, whose date the clock knows best.
    func page(
        of stream: RecordStream,
        in boot: String,
        after: RecordID,
        through: RecordID,
        limit: Int64 = StoreFile.pageLength
    ) throws(StoreError) -> [StoredRecord] {
        try Self.translating { () throws(SQLiteError) in
            var records: [StoredRecord] = []
            try self.database.run(
                """
                SELECT r.id, b.boot, b.started, b.trusted, r.at, r.vehicle, r.body, r.precious, r.response_topic, \
                r.correlation FROM \(stream.rawValue) r LEFT JOIN boots b ON b.id = r.boot \
                WHERE r.id > ? AND r.id <= ? ORDER BY r.id LIMIT ?
                """,
                [.integer(after.rawValue), .integer(through.rawValue), .integer(limit)]
            ) { row in
                // A boot that is forgotten has no date any more.
                let start = BootStart(
                    date: Timestamp(milliseconds: row.integer(2) ?? 0),
                    quality: row.integer(3) == 1 ? .synchronised : .unsynchronised
                )
                records.append(
                    StoredRecord(
                        stream: stream,
                        id: RecordID(rawValue: row.integer(0) ?? 0),
                        birth: StoredRecord.Birth(
                            boot: row.text(1) ?? "",
                            at: MonotonicTime(sinceBoot: .milliseconds(row.integer(4) ?? 0)),
                            start: row.text(1) == boot ? nil : start
                        ),
                        body: row.blob(6) ?? [],
                        destination: StoredRecord.Destination(
                            vehicle: row.text(5) ?? "",
                            responseTopic: row.text(8),
                            correlationData: row.blob(9)
                        ),
                        isCritical: row.integer(7) == 1
                    )
                )
            }
            return records
        }
    }

    /// Writes all of it in one transaction, or nothing.
    ///
    /// - Returns: what nobody had acknowledged and had to go for want of room.
    func write(_ batch: Batch) throws(StoreError) -> [RecordStream: [RecordID]] {
        try Self.translating { () throws(SQLiteError) in
            var slack = 16 * Self.pageSize
            while true {
                do throws(SQLiteError) {
                    return try self.database.transaction { () throws(SQLiteError) in
                        try self.perform(batch, slack: slack)
                    }
                } catch {
                    // Pages that are half empty may take more than was thought.
                    slack *= 4
                    guard error.cause == .full, slack < self.limit / 4 else { throw error }
                }
            }
        }
    }

    private func perform(_ batch: Batch, slack: Int64) throws(SQLiteError) -> [RecordStream: [RecordID]] {
        let boot = try self.write(batch.boot, batch.start)
        for (stream, mark) in batch.marks {
            try self.database.run(
                "INSERT INTO streams VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET sent = ?2 WHERE sent <> ?2",
                [.text(stream.rawValue), .integer(mark.sent.rawValue)]
            )
        }
        // What was said to a command is in the journal: nobody needs it here any more.
        for stream in RecordStream.allCases where !self.recorded.contains(stream) {
            try self.database.run(
                "DELETE FROM \(stream.rawValue) WHERE id <= ?",
                [.integer(batch.marks[stream]?.sent.rawValue ?? 0)]
            )
        }
        let records = batch.records + [batch.draft].compactMap(\.self)
        // Pages are filled in part only.
        let sizes = records.map(\.size) + batch.findings.map(\.body.count)
        let bytes = Int64(sizes.reduce(0, +)) / 4 * 5
        var evicted = try self.makeRoom(for: bytes + slack, batch.marks)
        for record in records { try self.write(record, boot: boot) }
        try self.write(batch, boot: boot)
        if let expiry = batch.expiry {
            evicted.merge(try self.expire(expiry, batch.marks)) { $0 + $1 }
        }
        return evicted
    }

    private func write(_ boot: String, _ start: BootStart) throws(SQLiteError) -> Int64 {
        // A date that was trusted once is not given up for one that is not. The clocks' jitter is not worth a page.
        try self.database.run(
            """
            INSERT INTO boots (boot, started, trusted) VALUES (?1, ?2, ?3) ON CONFLICT (boot) DO UPDATE
            SET started = ?2, trusted = ?3 WHERE ?3 >= trusted AND (abs(started - ?2) > 100 OR trusted <> ?3)
            """,
            [
                .text(boot), .integer(start.date.milliseconds),
                .integer(start.quality == .synchronised ? 1 : 0),
            ]
        )
        let id = try self.database.integer("SELECT id FROM boots WHERE boot = ?", [.text(boot)]) ?? 0
        try self.database.run("DELETE FROM boots WHERE id < ?", [.integer(id - 10_000)])
        return id
    }

    private func write(_ record: StoredRecord, boot: Int64) throws(SQLiteError) {
        try self.database.run(
            "INSERT OR REPLACE INTO \(record.stream.rawValue) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                .integer(record.id.rawValue), .integer(boot), .integer(record.birth.at.sinceBoot.milliseconds),
                .text(record.destination.vehicle), .blob(record.body), .integer(record.isCritical ? 1 : 0),
                Value(record.destination.responseTopic), Value(record.destination.correlationData),
            ]
        )
    }

    // MARK: - Room

    /// The bytes of the file that are in use.
    func used() throws(SQLiteError) -> Int64 {
        let pages = try self.database.integer("PRAGMA page_count") ?? 0
        let free = try self.database.integer("PRAGMA freelist_count") ?? 0
        return (pages - free) * Self.pageSize
    }

    /// Removes the oldest that can be spared, as far as that is needed.
    ///
    /// What the broker has goes before what it does not have, and telemetry before events.
    ///
    /// - Returns: what the broker does not have of that.
    private func makeRoom(
        for bytes: Int64,
        _ marks: [RecordStream: Batch.Mark]
    ) throws(SQLiteError) -> [RecordStream: [RecordID]] {
        var evicted: [RecordStream: [RecordID]] = [:]
        let order: [(RecordStream, isSent: Bool)] = [
            (.telemetry, true), (.events, true), (.telemetry, false), (.events, false),
        ]
        next: while try self.used() + bytes > self.limit {
            for (stream, isSent) in order {
                guard let mark = marks[stream] else { continue }
                let gone = try self.evict(stream, in: isSent ? mark.recorded : mark.waiting)
                if gone.isEmpty { continue }
                if !isSent { evicted[stream, default: []] += gone }
                continue next
            }
            throw .full("make room in \(self.limit) bytes")
        }
        return evicted
    }

    /// Removes the oldest of a stream that are in a range and can be spared.
    private func evict(_ stream: RecordStream, in range: Range<Int64>) throws(SQLiteError) -> [RecordID] {
        var ids: [RecordID] = []
        try self.database.run(
            """
            SELECT id FROM \(stream.rawValue) WHERE precious = 0 AND id >= ? AND id < ? ORDER BY id
            LIMIT \(Self.evictionStep)
            """,
            [.integer(range.lowerBound), .integer(range.upperBound)]
        ) { row in row.integer(0).map { ids.append(RecordID(rawValue: $0)) } }
        for id in ids { try self.delete(id, from: stream) }
        return ids
    }

    func delete(_ id: RecordID, from stream: RecordStream) throws(SQLiteError) {
        try self.database.run("DELETE FROM \(stream.rawValue) WHERE id = ?", [.integer(id.rawValue)])
    }
}
