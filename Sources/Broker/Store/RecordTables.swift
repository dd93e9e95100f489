// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import SQLite

/// The records on the disk: one table for each stream, appended at one end and cut at the other.
struct RecordTables {
    /// The acknowledged part of a stream.
    struct Mark {
        var sent: RecordID
        var lastInFlight: RecordID?

        /// The rows that the broker has acknowledged.
        var acknowledged: Range<Int64> { 0..<self.sent.rawValue + 1 }
        /// The rows that are neither acknowledged nor in flight.
        var waiting: Range<Int64> { (self.lastInFlight ?? self.sent).rawValue + 1..<Int64.max }
    }

    /// The number of records that one step of an eviction removes.
    private static let evictionStep: Int64 = 64
    /// The number of records that one check for expired records removes; the rest waits for the next check.
    private static let expiryStep: Int64 = 4096
    /// The number of records in a page.
    static let pageLength: Int64 = 16

    let database: Database
    /// The streams whose acknowledged records are kept as the recording.
    let recorded: Set<RecordStream>

    /// Returns the state of a stream: its acknowledged part, its last record, and the number of waiting records.
    func state(of stream: RecordStream) throws(SQLiteError) -> (sent: RecordID, last: RecordID, waiting: Int) {
        let sent = try self.database.integer("SELECT sent FROM streams WHERE name = ?", [.text(stream.rawValue)])
        let last = try self.database.integer("SELECT max(id) FROM \(stream.rawValue)")
        let waiting = try self.database.integer(
            "SELECT count(*) FROM \(stream.rawValue) WHERE id > ?",
            [.integer(sent ?? 0)]
        )
        return (RecordID(rawValue: sent ?? 0), RecordID(rawValue: last ?? 0), Int(waiting ?? 0))
    }

    /// Returns the records of a stream after an id, in order; at most ``pageLength``.
    ///
    /// - Parameter boot: the current boot. Its records get no date here, because the clock knows a better one.
    func page(
        of stream: RecordStream,
        in boot: String,
        after: RecordID,
        through: RecordID,
        limit: Int64 = RecordTables.pageLength
    ) throws(SQLiteError) -> [StoredRecord] {
        var records: [StoredRecord] = []
        try self.database.run(
            """
            SELECT r.id, b.boot, b.started, b.trusted, r.at, r.vehicle, r.body, r.precious, r.response_topic, \
            r.correlation FROM \(stream.rawValue) r LEFT JOIN boots b ON b.id = r.boot \
            WHERE r.id > ? AND r.id <= ? ORDER BY r.id LIMIT ?
            """,
            [.integer(after.rawValue), .integer(through.rawValue), .integer(limit)]
        ) { row in
            // A deleted boot has no date.
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

    /// Returns the approximate sizes of the records of a stream in a range, in bytes.
    func sizes(of stream: RecordStream, in range: ClosedRange<RecordID>) throws(SQLiteError) -> [RecordID: Int] {
        var sizes: [RecordID: Int] = [:]
        try self.database.run(
            "SELECT id, length(body) FROM \(stream.rawValue) WHERE id >= ? AND id <= ?",
            [.integer(range.lowerBound.rawValue), .integer(range.upperBound.rawValue)]
        ) { row in
            guard let id = row.integer(0) else { return }
            sizes[RecordID(rawValue: id)] = StoredRecord.size(of: Int(max(0, row.integer(1) ?? 0)))
        }
        return sizes
    }

    /// Returns the highest id of a stream in a range; nil if there is none.
    func last(of stream: RecordStream, in range: ClosedRange<RecordID>) throws(SQLiteError) -> RecordID? {
        try self.database.integer(
            "SELECT max(id) FROM \(stream.rawValue) WHERE id >= ? AND id <= ?",
            [.integer(range.lowerBound.rawValue), .integer(range.upperBound.rawValue)]
        ).map(RecordID.init(rawValue:))
    }

    // MARK: - Writing

    /// Writes the acknowledged part of each stream, and deletes it from the streams that are not recorded.
    func write(_ marks: [RecordStream: Mark]) throws(SQLiteError) {
        for (stream, mark) in marks {
            try self.database.run(
                """
                INSERT INTO streams (name, sent) VALUES (?1, ?2)
                ON CONFLICT (name) DO UPDATE SET sent = ?2 WHERE sent <> ?2
                """,
                [.text(stream.rawValue), .integer(mark.sent.rawValue)]
            )
        }
        // An acknowledged response is still in the journal of commands.
        for stream in RecordStream.allCases where !self.recorded.contains(stream) {
            try self.database.run(
                "DELETE FROM \(stream.rawValue) WHERE id <= ?",
                [.integer(marks[stream]?.sent.rawValue ?? 0)]
            )
        }
    }

    /// - Parameter boot: the row number of the record's boot.
    func write(_ record: StoredRecord, boot: Int64) throws(SQLiteError) {
        try self.database.run(
            """
            INSERT OR REPLACE INTO \(record.stream.rawValue)
            (id, boot, at, vehicle, body, precious, response_topic, correlation) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(record.id.rawValue), .integer(boot), .integer(record.birth.at.sinceBoot.milliseconds),
                .text(record.destination.vehicle), .blob(record.body), .integer(record.isCritical ? 1 : 0),
                SQLiteValue(record.destination.responseTopic), SQLiteValue(record.destination.correlationData),
            ]
        )
    }

    private func delete(_ id: RecordID, from stream: RecordStream) throws(SQLiteError) {
        try self.database.run("DELETE FROM \(stream.rawValue) WHERE id = ?", [.integer(id.rawValue)])
    }

    // MARK: - Room

    /// Evicts the oldest dispensable records until there is room.
    ///
    /// Acknowledged records go before waiting ones, and telemetry before events.
    ///
    /// - Parameter hasRoom: whether there is room now.
    /// - Returns: the evicted records that were waiting; nil if nothing more can be evicted.
    func evict(
        _ marks: [RecordStream: Mark],
        until hasRoom: () throws(SQLiteError) -> Bool
    ) throws(SQLiteError) -> [RecordStream: [RecordID]]? {
        var evicted: [RecordStream: [RecordID]] = [:]
        let order: [(RecordStream, isSent: Bool)] = [
            (.telemetry, true), (.events, true), (.telemetry, false), (.events, false),
        ]
        next: while try !hasRoom() {
            for (stream, isSent) in order {
                guard let mark = marks[stream] else { continue }
                let gone = try self.evict(stream, in: isSent ? mark.acknowledged : mark.waiting)
                if gone.isEmpty { continue }
                if !isSent { evicted[stream, default: []] += gone }
                continue next
            }
            return nil
        }
        return evicted
    }

    /// Removes the oldest records of a stream that are in a range and not critical.
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

    // MARK: - Expiry

    /// Removes expired records.
    ///
    /// - Returns: the expired responses that were waiting.
    func expire(_ expiry: Expiry, _ marks: [RecordStream: Mark]) throws(SQLiteError) -> [RecordStream: [RecordID]] {
        for stream in self.recorded {
            guard let mark = marks[stream] else { continue }
            _ = try self.remove(from: stream, in: mark.acknowledged, bornBefore: expiry.recorded)
        }
        guard let mark = marks[.responses] else { return [:] }
        return [.responses: try self.remove(from: .responses, in: mark.waiting, bornBefore: expiry.responses)]
    }

    private func remove(
        from stream: RecordStream,
        in range: Range<Int64>,
        bornBefore date: Timestamp
    ) throws(SQLiteError) -> [RecordID] {
        var oldest: [(id: RecordID, boot: Int64, at: Int64)] = []
        try self.database.run(
            """
            SELECT id, boot, at FROM \(stream.rawValue) WHERE id >= ? AND id < ? ORDER BY id LIMIT \(Self.expiryStep)
            """,
            [.integer(range.lowerBound), .integer(range.upperBound)]
        ) { row in
            guard let id = row.integer(0), let boot = row.integer(1), let at = row.integer(2) else { return }
            oldest.append((RecordID(rawValue: id), boot, at))
        }
        let boots = BootTable(database: self.database)
        var known: [Int64: (started: Int64, isOwn: Bool)] = [:]
        var gone: [RecordID] = []
        for record in oldest {
            // The records are in the order of their birth: the first one that has not expired ends the search.
            if known[record.boot] == nil { known[record.boot] = try boots.trustedStart(from: record.boot) }
            guard let start = known[record.boot] else { break }
            let (birth, overflow) = start.started.addingReportingOverflow(start.isOwn ? record.at : 0)
            guard !overflow, birth < date.milliseconds else { break }
            try self.delete(record.id, from: stream)
            gone.append(record.id)
        }
        return gone
    }
}
