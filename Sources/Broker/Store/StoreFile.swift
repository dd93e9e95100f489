// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import SQLite

/// The database of the store: opens it, writes a batch in one transaction, and sets a damaged file aside.
///
/// The database is in WAL mode with `synchronous = FULL`. A commit appends to the log and waits until the device has
/// it, so that a power cut costs the uncommitted data and nothing else. Every frame of the log has a checksum, so a
/// torn write at its end is ignored. `NORMAL` would not wait, and could lose half a minute that the window of the store
/// promises. A wait costs an SD card 30 to 40 kB of its own and the file system's pages. It costs them once in a
/// window, so there are few commits, and deletes are part of them.
final class StoreFile {
    static let name = "obd-agent.db"
    /// The largest number of damaged files that are kept.
    static let setAsideLimit = 2
    /// The size of a page of SQLite in bytes.
    static let pageSize: Int64 = 4096

    let database: Database
    /// The largest size of the file in bytes.
    let limit: Int64
    /// The streams whose acknowledged records are kept as the recording.
    let recorded: Set<RecordStream>
    /// The number of the current start.
    let epoch: UInt64
    /// The number of the last event in this epoch that was made of what an earlier process left; 0 if there is none.
    let lastEvent: UInt64

    /// Opens the database of a directory, and creates it if there is none.
    ///
    /// - Parameters:
    ///   - limit: the largest size of the database in bytes.
    ///   - recorded: the streams whose acknowledged records are kept as the recording.
    init(
        in directory: String,
        limit: Int64,
        recorded: Set<RecordStream>,
        _ beginning: Beginning
    ) throws(StoreError) {
        let path = "\(directory)/\(Self.name)"
        guard TextFile.isDirectory(directory) else { throw .noDirectory(directory) }
        self.limit = limit
        self.recorded = recorded
        let found = try StoreError.wrapping { () throws(SQLiteError) in try Self.check(path) }
        if let found, !found.isReadable { throw .newer(version: found.version, path: path) }
        let pages = max(64, limit / Self.pageSize)
        (self.database, self.epoch) = try StoreError.wrapping { () throws(SQLiteError) in
            let database = try Database(path)
            for pragma in [
                "page_size = \(Self.pageSize)", "journal_mode = WAL", "synchronous = FULL", "cache_size = -512",
                "journal_size_limit = 4194304", "max_page_count = \(pages)",
                // A log that restarts often seldom grows, and a log that does not grow costs no metadata.
                "wal_autocheckpoint = 50",
            ] { try database.run("PRAGMA \(pragma)") }
            try Schema.migrate(database)
            return (database, try Self.begin(database, beginning, lastElsewhere: EpochFile.last(in: directory)))
        }
        let (database, epoch) = (self.database, self.epoch)
        switch beginning {
        // A transaction of its own: without room for the record, the draft stays, and the agent starts all the same.
        case .next:
            self.lastEvent =
                (try? database.transaction { () throws(SQLiteError) in
                    try CaptureTables(database: database).promoteDraft(in: epoch)
                }) ?? 0
        case .current: self.lastEvent = 0
        }
        EpochFile.write(self.epoch, in: directory)
        if case .current(let epoch) = beginning, epoch < self.epoch { throw .ahead(epoch: self.epoch) }
    }

    /// The epoch that begins when a file is opened.
    enum Beginning {
        /// The epoch after the last one; without a last one, the given one.
        case next(orFirst: UInt64)
        /// The epoch that has begun already; the file's epoch must not be later.
        case current(UInt64)
    }

    private static func begin(
        _ database: Database,
        _ beginning: Beginning,
        lastElsewhere: UInt64?
    ) throws(SQLiteError) -> UInt64 {
        try database.transaction { () throws(SQLiteError) in
            let meta = MetaTable(database: database)
            let last = [try meta.epoch(), lastElsewhere].compactMap(\.self).max()
            let epoch =
                switch beginning {
                case .next(let first): min(last.map { $0 + 1 } ?? first, RecordID.epochLimit)
                case .current(let epoch): max(epoch, last ?? 0)
                }
            try meta.write(epoch: epoch)
            return epoch
        }
    }

    /// Returns the version of a file without changing it, and whether this agent can use it; nil if there is no file.
    private static func check(_ path: String) throws(SQLiteError) -> (version: Int64, isReadable: Bool)? {
        guard let header = TextFile.bytes(of: path, limit: 100), !header.isEmpty else { return nil }
        return try Schema.check(try Database(path, .readOnly))
    }

    /// Renames a damaged file and its log, and removes the oldest such file.
    ///
    /// - Returns: the new name.
    static func setAside(in directory: String) throws(StoreError) -> String {
        let path = "\(directory)/\(Self.name)"
        let names = (1...Self.setAsideLimit).map { "\(path).corrupt-\($0)" }
        for (older, younger) in zip(names, [path] + names).reversed() {
            TextFile.move(younger, to: older)
            TextFile.remove(older + "-wal")
            TextFile.move(younger + "-wal", to: older + "-wal")
        }
        TextFile.remove(path + "-shm")
        guard TextFile.bytes(of: path, limit: 1) == nil else { throw .stuck(path: path) }
        return names[0]
    }

    // MARK: - Tables

    var records: RecordTables { RecordTables(database: self.database, recorded: self.recorded) }
    var commands: CommandTable { CommandTable(database: self.database) }
    var vehicles: VehicleTables { VehicleTables(database: self.database) }
    var findings: FindingTable { FindingTable(database: self.database, limit: self.limit) }
    var captures: CaptureTables { CaptureTables(database: self.database) }
    var announcements: AnnouncementTable { AnnouncementTable(database: self.database) }
    var boots: BootTable { BootTable(database: self.database) }
    var meta: MetaTable { MetaTable(database: self.database) }

    /// Returns the used bytes of the file.
    func used() throws(SQLiteError) -> Int64 {
        let pages = try self.database.integer("PRAGMA page_count") ?? 0
        let free = try self.database.integer("PRAGMA freelist_count") ?? 0
        return (pages - free) * Self.pageSize
    }

    // MARK: - Writing

    /// The content of a transaction.
    struct Batch {
        /// The records that are in memory only.
        var records: [StoredRecord] = []
        /// The incomplete telemetry batch, with the id that it will have when it is complete.
        var draft: StoredRecord?
        /// The acknowledged part of each stream, and its records in flight, which must not be evicted.
        var marks: [RecordStream: RecordTables.Mark] = [:]
        var boot: String
        var start: BootStart
        /// The dates that have passed; nil if those on the disk are recent enough.
        ///
        /// Commands need the dates.
        var dates: DateMemory.Dates?
        /// The time at which this file was opened.
        var openedAt: MonotonicTime
        /// The current date, if it is certain.
        var certainDate: Timestamp?
        var commands: [CommandEntry] = []
        var vehicles: [VehicleEntry] = []
        /// The bodies of the vehicles' states, by kind and vehicle.
        var states: [StoredState.Kind: [String: [UInt8]]] = [:]
        var findings: [FindingEntry] = []
        var values: [LastValue] = []
        /// All announcements; nil if those on the disk are still valid.
        var announced: [AnnouncedEntry]?
        var traffic: DayTraffic?
        /// The change of the event that is still being made; nil if the disk has its present state.
        var eventDraft: UnwrittenMemory.EventDraftChange?
        var captures: DayCaptures?
        /// The expiry dates, if expired records are due to be removed.
        var expiry: Expiry?
    }

    /// Writes a batch in one transaction, or nothing of it.
    ///
    /// - Returns: the records that were evicted without an acknowledgement.
    func write(_ batch: Batch) throws(StoreError) -> [RecordStream: [RecordID]] {
        try StoreError.wrapping { () throws(SQLiteError) in
            var slack = 16 * Self.pageSize
            while true {
                do throws(SQLiteError) {
                    return try self.database.transaction { () throws(SQLiteError) in
                        try self.perform(batch, slack: slack)
                    }
                } catch {
                    // Half empty pages may take more room than was estimated.
                    slack *= 4
                    guard error.cause == .full, slack < self.limit / 4 else { throw error }
                }
            }
        }
    }

    private func perform(_ batch: Batch, slack: Int64) throws(SQLiteError) -> [RecordStream: [RecordID]] {
        let boot = try self.boots.write(batch.boot, batch.start)
        try self.records.write(batch.marks)
        let records = batch.records + [batch.draft].compactMap(\.self)
        var sizes = records.map(\.size) + batch.findings.map(\.body.count)
        if case .write(let draft) = batch.eventDraft { sizes.append(draft.body.count) }
        // Pages are partly empty: a quarter more is reserved.
        let bytes = Int64(sizes.reduce(0, +)) / 4 * 5
        guard
            var evicted = try self.records.evict(
                batch.marks,
                until: { () throws(SQLiteError) in try self.used() + bytes + slack <= self.limit }
            )
        else { throw .full("make room in \(self.limit) bytes") }
        for record in records {
            let own = record.birth.boot == batch.boot ? boot : try self.boots.row(of: record.birth.boot)
            try self.records.write(record, boot: own ?? boot)
        }
        try self.writeState(batch, boot: boot)
        if let expiry = batch.expiry {
            evicted.merge(try self.records.expire(expiry, batch.marks)) { $0 + $1 }
            try self.vehicles.forgetVehiclesWithoutRecords()
        }
        return evicted
    }

    /// Writes all of a batch that is not a record.
    private func writeState(_ batch: Batch, boot: Int64) throws(SQLiteError) {
        if let dates = batch.dates { try self.meta.write(dates) }
        if batch.start.quality == .synchronised {
            try self.meta.beginJournal(at: batch.start.date + batch.openedAt.sinceBoot, now: batch.certainDate)
        }
        try self.commands.write(batch.commands, boot: boot, latest: batch.dates?.latest)
        for vehicle in batch.vehicles { try self.vehicles.write(vehicle, boot: boot) }
        for value in batch.values { try self.vehicles.write(value, boot: boot) }
        for (kind, bodies) in batch.states {
            for (vehicle, body) in bodies { try self.vehicles.write(StoredState(kind, body), of: vehicle) }
        }
        try self.findings.write(batch.findings, boot: boot)
        if let announced = batch.announced { try self.announcements.write(announced) }
        if let traffic = batch.traffic { try self.meta.write(traffic) }
        switch batch.eventDraft {
        case nil: break
        case .write(let draft): try self.captures.write(draft: draft, boot: boot)
        case .remove: try self.captures.write(draft: nil, boot: boot)
        }
        if let captures = batch.captures { try self.captures.write(captures) }
    }
}
