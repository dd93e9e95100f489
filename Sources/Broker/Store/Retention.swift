// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import Base

/// When it is time to look for what has been kept long enough.
///
/// What is old is told by the date, so it must be trusted, and must have stood still for a while: a clock that steps
/// years ahead for a moment throws nothing away.
struct RetentionSchedule: Sendable {
    /// How long the date must have stood still.
    static let patience = Duration.seconds(600)
    /// How often is looked.
    static let interval = Duration.seconds(3600)
    /// How much the date of monotonic zero may move without having stepped.
    static let tolerance = Duration.seconds(60)

    private let keepDays: Int64
    private var steady: (start: Timestamp, since: MonotonicTime)?
    private var looked: MonotonicTime?

    init(keepDays: Int64) {
        self.keepDays = keepDays
    }

    /// What expires now; nil where it is not time to look.
    mutating func expiry(at now: MonotonicTime, _ start: BootStart) -> StoreFile.Expiry? {
        guard start.quality == .synchronised else {
            self.steady = nil
            return nil
        }
        guard let steady = self.steady, (start.date - steady.start).magnitude <= Self.tolerance else {
            self.steady = (start.date, now)
            return nil
        }
        guard now - steady.since >= Self.patience, self.looked.map({ now - $0 >= Self.interval }) ?? true else {
            return nil
        }
        self.looked = now
        return StoreFile.Expiry(now: start.date + now.sinceBoot, keepDays: self.keepDays)
    }
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}

// What is not kept for ever.
extension StoreFile {
    /// Until when records have expired.
    struct Expiry: Hashable, Sendable {
        /// How long a response waits for the broker: as long as its command could be obeyed, and a day.
        static let responseLife = Duration.seconds(2 * 86_400)

        /// What the broker has, and was born before this.
        let recorded: Timestamp
        /// Responses that were born before this, though the broker does not have them.
        let responses: Timestamp

        init(now: Timestamp, keepDays: Int64) {
            self.recorded = now + .seconds(-keepDays * 86_400)
            self.responses = now + (.zero - Self.responseLife)
        }
    }

    /// How many records of a stream one look removes; the rest has time until the next.
    private static let expiryStep: Int64 = 4096

    /// Removes what has expired, and forgets vehicles of which nothing is left.
    ///
    /// - Returns: what the broker does not have of that.
    func expire(
        _ expiry: Expiry,
        _ marks: [RecordStream: Batch.Mark]
    ) throws(SQLiteError) -> [RecordStream: [RecordID]] {
        for stream in self.recorded {
            guard let mark = marks[stream] else { continue }
            _ = try self.remove(from: stream, in: mark.recorded, bornBefore: expiry.recorded)
        }
        try self.forgetVehicles()
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
        var known: [Int64: (started: Int64, isOwn: Bool)] = [:]
        var gone: [RecordID] = []
        for record in oldest {
            // They are in the order of their birth: the first that has not expired ends it.
            if known[record.boot] == nil { known[record.boot] = try self.start(boundOf: record.boot) }
            guard let start = known[record.boot] else { break }
            let (birth, overflow) = start.started.addingReportingOverflow(start.isOwn ? record.at : 0)
            guard !overflow, birth < date.milliseconds else { break }
            try self.delete(record.id, from: stream)
            gone.append(record.id)
        }
        return gone
    }

    /// The date at which a boot began; where nobody knew it, that of the next boot of which somebody did.
    ///
    /// - Returns: nil where neither is known.
    private func start(boundOf boot: Int64) throws(SQLiteError) -> (started: Int64, isOwn: Bool)? {
        var found: (Int64, Bool)?
        try self.database.run(
            "SELECT started, id FROM boots WHERE id >= ? AND trusted = 1 ORDER BY id LIMIT 1",
            [.integer(boot)]
        ) { row in found = row.integer(0).map { ($0, row.integer(1) == boot) } }
        return found
    }

    /// Forgets vehicles of which nothing is recorded any more, but for the one that is connected.
    ///
    /// Everything of a vehicle is older than the vehicle that came after it.
    private func forgetVehicles() throws(SQLiteError) {
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
            try Self.forget(vehicle.name, in: self.database)
        }
    }

    /// Removes the traces of a vehicle; not while it has findings.
    ///
    /// Its commands stay as long as any: they may come again.
    static func forget(_ vehicle: String, in database: Database) throws(SQLiteError) {
        guard try database.integer("SELECT 1 FROM findings WHERE vehicle = ? LIMIT 1", [.text(vehicle)]) == nil else {
            return
        }
        try database.run("DELETE FROM vehicles WHERE name = ?", [.text(vehicle)])
        for table in ["selections", "last_values"] {
            try database.run("DELETE FROM \(table) WHERE vehicle = ?", [.text(vehicle)])
        }
    }
}
