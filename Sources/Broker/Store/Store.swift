// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract
import EventLoop
import SQLite

/// The persistent data: the records without an acknowledgement, their numbers, the journal and the vehicles.
///
/// Records are created in memory. ``flush(_:isLast:)`` writes them to one database. Without a database, or while it
/// can't be written, everything stays in memory, and is written when that works again.
package actor Store {
    /// The configuration of a store.
    package struct Options: Sendable {
        package var agent: String
        /// The kernel's id of this boot.
        package var boot: String
        /// The directory of the database; nil keeps everything in memory.
        package var directory: String?
        /// The largest size of the database in bytes.
        package var limit: Int64
        /// The number of days for which acknowledged records are kept as the recording of their vehicle; 0: none.
        package var keepDays: Int64
        /// Whether a broker acknowledges records; otherwise each counts as delivered at once, and none waits.
        package var hasBroker = true
        /// The first epoch without a database: the seconds since 1970, which no lost database has used.
        package var firstEpoch: UInt64

        package init(
            agent: String,
            boot: String,
            directory: String? = nil,
            limit: Int64 = 256 << 20,
            keepDays: Int64 = 90,
            firstEpoch: UInt64
        ) {
            self.agent = agent
            self.boot = boot
            self.directory = directory
            self.limit = limit
            self.keepDays = keepDays
            self.firstEpoch = firstEpoch
        }

        /// The streams whose acknowledged records are kept as the recording.
        var recorded: Set<RecordStream> { self.directory == nil || self.keepDays == 0 ? [] : [.events, .telemetry] }
    }

    /// The largest size of the records that are in memory only, in bytes.
    package static let memoryLimit = 16 << 20
    /// The number of acknowledgements that is worth a commit of its own.
    private static let acknowledgementLimit = 200

    /// The thread that waits for the disk.
    private nonisolated let executor: any SerialExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe self.executor.asUnownedSerialExecutor() }

    let options: Options
    var file: StoreFile?
    /// The reason why the newest data is not on the disk; nil if it is.
    package private(set) var problem: String?
    /// The data beside the records that is not on the disk.
    var unwritten = UnwrittenMemory()
    var dates = DateLedger()
    private(set) var epoch: UInt64
    private(set) var lastNumbers: [RecordStream: UInt64] = [:]
    private(set) var outbox: Outbox
    private var gaps: [RecordGap] = []
    /// The time of the last attempt to open a file; nil if there is no directory.
    private(set) var openedAt: MonotonicTime?
    /// Whether the outbox has the records on the disk.
    private var isAdopted = false
    private var lastDraft: Draft?
    private var acknowledgements = 0
    private var retention: RetentionSchedule

    /// - Parameter executor: runs the actor. A slow disk blocks it.
    package init(_ options: Options, executor: any SerialExecutor = SerialThread(named: "store")) {
        self.options = options
        self.executor = executor
        self.epoch = min(options.firstEpoch, RecordID.epochLimit)
        self.outbox = Outbox(limit: Self.memoryLimit, recorded: options.recorded, hasBroker: options.hasBroker)
        self.retention = RetentionSchedule(keepDays: options.keepDays)
    }

    /// The data on the disk at the start.
    package struct Opening: Sendable {
        /// The topic level of the last connected vehicle.
        package var vehicle: String?
        /// The hash of the last connected vehicle's identity, by which it is recognized.
        package var mark: String?
        /// The date of this boot as an earlier process knew it.
        package var start: BootStart?
        /// The reason why there is no database, and everything is in memory.
        package var problem: String?
        /// The new name of a damaged file.
        package var setAside: String?
        /// The sent bytes of the last day for which they were written.
        package var traffic: DayTraffic?
        /// The commands without a final response.
        package var unfinished: [UnfinishedCommand] = []
        /// The numbers of captures on the last day for which they were written.
        package var captures: DayCaptures?
    }

    /// Opens the database and begins an epoch.
    ///
    /// Call this once, before anything else.
    package func open(at now: MonotonicTime) -> Opening {
        var opening = Opening()
        guard let directory = self.options.directory else { return opening }
        self.openedAt = now
        self.dates.opened(at: now)
        // The epoch file counts even if nothing can be written.
        if let last = EpochFile.last(in: directory) { self.epoch = max(self.epoch, min(last + 1, RecordID.epochLimit)) }
        opening.setAside = self.connect(.next(orFirst: self.epoch))
        opening.problem = self.problem
        guard let file = self.file else { return opening }
        self.epoch = file.epoch
        if file.lastEvent > 0 { self.lastNumbers[.events] = file.lastEvent }
        let last = try? file.vehicles.last()
        (opening.vehicle, opening.mark) = (last?.name, last?.mark)
        opening.start = try? file.boots.start(of: self.options.boot)
        opening.traffic = try? file.meta.traffic()
        opening.captures = try? file.captures.counts()
        opening.unfinished = (try? file.commands.unfinished()) ?? []
        return opening
    }

    // MARK: - Records

    /// Numbers a record and keeps it until it is acknowledged.
    ///
    /// - Parameters:
    ///   - body: a JSON object.
    ///   - at: the birth of the record, in this boot.
    ///   - isCritical: whether the record is dropped last if there is no room.
    ///   - endsDraft: whether the record takes the place of the event that was still being made.
    ///   - earlierBoot: the boot of the birth with its date, if it is not the present one.
    ///   - state: the state of the destination's vehicle, which is written in the same commit as the record.
    ///   - context: the context of a flush, if the record must be on the disk before it is published.
    package func append(
        _ body: [UInt8],
        to stream: RecordStream,
        at: MonotonicTime,
        destination: StoredRecord.Destination,
        isCritical: Bool = false,
        endsDraft: Bool = false,
        in earlierBoot: StoredRecord.Birth.Boot? = nil,
        with state: StoredState? = nil,
        flushing context: FlushContext? = nil
    ) {
        var record = self.record(body, stream, at, destination, isCritical)
        if let earlierBoot { record.birth = StoredRecord.Birth(earlierBoot, at: at) }
        if let state { self.unwritten.set(state, of: destination.vehicle) }
        self.lastNumbers[stream] = record.id.seq
        self.note(self.outbox.append(record))
        if endsDraft { self.unwritten.eventDraft = .remove }
        if let context { self.flush(context) }
    }

    private func record(
        _ body: [UInt8],
        _ stream: RecordStream,
        _ at: MonotonicTime,
        _ destination: StoredRecord.Destination,
        _ isCritical: Bool = false
    ) -> StoredRecord {
        StoredRecord(
            stream: stream,
            id: RecordID(epoch: self.epoch, seq: (self.lastNumbers[stream] ?? 0) + 1),
            birth: StoredRecord.Birth(boot: self.options.boot, at: at),
            body: body,
            destination: destination,
            isCritical: isCritical
        )
    }

    /// Returns the next record to publish, which is in flight from now on; nil if none waits.
    ///
    /// - Parameter held: the streams that must not be published now.
    package func next(except held: Set<RecordStream> = []) -> StoredRecord? {
        var unreadable = held
        while true {
            switch self.outbox.next(except: unreadable) {
            case .none: return nil
            case .publish(let record): return record
            case .read(let stream, let after, let through):
                do throws(StoreError) {
                    guard let file = self.file else { throw .noDirectory(self.options.directory ?? "") }
                    let page = try StoreError.wrapping { () throws(SQLiteError) in
                        try file.records.page(of: stream, in: self.options.boot, after: after, through: through)
                    }
                    self.outbox.read(stream, page)
                } catch {
                    unreadable.insert(stream)
                    self.failed(error)
                }
            }
        }
    }

    /// Returns the number of a record of this store.
    package nonisolated func number(of record: StoredRecord) -> RecordNumber {
        RecordNumber(agent: self.options.agent, epoch: record.id.epoch, seq: record.id.seq)
    }

    /// Takes note that the broker has acknowledged a record.
    package func acknowledge(_ stream: RecordStream, _ id: RecordID) {
        self.outbox.acknowledge(stream, id)
        self.acknowledgements += 1
    }

    /// Gives up a record in flight that the broker will never acknowledge.
    ///
    /// The record is announced as a gap.
    package func giveUp(_ stream: RecordStream, _ id: RecordID) {
        self.note(self.outbox.giveUp(stream, id))
        self.acknowledgements += 1
    }

    /// Returns the records in flight to the queue, because the connection is lost.
    package func returnInFlight() { self.outbox.returnInFlight() }

    /// Returns the gaps since the last call, to be announced.
    package func takeGaps() -> [RecordGap] {
        defer { self.gaps = [] }
        return self.gaps
    }

    private func note(_ gaps: [RecordGap]) {
        for gap in gaps { self.gaps.add(gap) }
    }

    /// Keeps an event that is still being made, in place of an earlier one, and writes it to the disk.
    ///
    /// If the process ends before the event is complete, the next one makes a record of it. So an event is sent
    /// once, complete or not.
    package func keep(_ draft: Draft, flushing context: FlushContext) {
        self.unwritten.eventDraft = .write(draft)
        self.flush(context)
    }

    /// Keeps the numbers of captures on a day.
    ///
    /// The next flush writes them to the disk.
    package func remember(_ captures: DayCaptures) { self.unwritten.captures = captures }

    // MARK: - Writing

    /// Writes the unwritten data in one commit, and returns when the device has it.
    ///
    /// If the commit fails, everything stays in memory, and the next call tries again.
    ///
    /// - Parameter isLast: whether no more data follows. Acknowledgements are then written without other data too.
    package func flush(_ context: FlushContext, isLast: Bool = false) {
        self.noteDate(at: context.now, context.start)
        guard self.options.directory != nil else { return }
        self.unwritten.add(context.values)
        let draft = context.draft
        let isCommitDue =
            !self.outbox.isWritten || !self.unwritten.isEmpty || (draft != nil && draft != self.lastDraft)
            || self.acknowledgements >= (isLast ? 1 : Self.acknowledgementLimit)
            || self.dates.needsCommit(at: context.now, isLast: isLast)
        guard isCommitDue else { return }
        if self.file == nil {
            // The file may be another one than before.
            self.openedAt = context.now
            self.connect(.current(self.epoch))
        }
        guard let file = self.file, let openedAt = self.openedAt else { return self.outbox.writeFailed() }
        var batch = StoreFile.Batch(boot: self.options.boot, start: context.start, openedAt: openedAt)
        batch.certainDate = self.dates.memory.certain(context.start.date + context.now.sinceBoot)
        batch.records = self.outbox.unwritten
        batch.draft = draft.map { self.record($0.body, .telemetry, $0.at, $0.destination) }
        for stream in RecordStream.allCases {
            batch.marks[stream] = .init(
                sent: self.outbox.sent(stream),
                lastInFlight: self.outbox.lastInFlight(stream)
            )
        }
        self.unwritten.fill(&batch)
        // The journal deletes commands by these dates, so both are written together.
        batch.dates = self.dates.toWrite(at: context.now, isRequired: !batch.commands.isEmpty || isLast)
        batch.expiry = self.retention.expiry(at: context.now, context.start)
        do throws(StoreError) {
            let evicted = try file.write(batch)
            self.outbox.written(draft: batch.draft?.id)
            for (stream, ids) in evicted { self.note(self.outbox.evicted(stream, ids)) }
            self.unwritten = UnwrittenMemory()
            if let dates = batch.dates { self.dates.wrote(dates, at: context.now) }
            self.lastDraft = draft
            self.acknowledgements = 0
            self.problem = nil
        } catch {
            self.outbox.writeFailed()
            self.failed(error)
        }
    }

    /// Opens the database, and creates a new one if it is damaged.
    ///
    /// - Returns: the new name of a damaged file.
    @discardableResult
    private func connect(_ beginning: StoreFile.Beginning) -> String? {
        guard let directory = self.options.directory else { return nil }
        var setAside: String?
        do throws(StoreError) {
            do throws(StoreError) {
                try self.connect(directory, beginning)
            } catch {
                guard error.isCorruption else { throw error }
                setAside = try StoreFile.setAside(in: directory)
                try self.connect(directory, beginning)
            }
        } catch {
            self.problem = error.description
        }
        return setAside
    }

    private func connect(_ directory: String, _ beginning: StoreFile.Beginning) throws(StoreError) {
        let file = try StoreFile(
            in: directory,
            limit: self.options.limit,
            recorded: self.options.recorded,
            beginning
        )
        if !self.isAdopted {
            var states: [(stream: RecordStream, state: (sent: RecordID, last: RecordID, waiting: Int))] = []
            try StoreError.wrapping { () throws(SQLiteError) in
                for stream in RecordStream.allCases { states.append((stream, try file.records.state(of: stream))) }
            }
            for (stream, state) in states {
                self.outbox.diskOpened(stream, sent: state.sent, last: state.last, waiting: state.waiting)
            }
            self.isAdopted = true
        }
        self.file = file
        self.problem = nil
    }

    func failed(_ error: StoreError) {
        self.problem = error.description
        // After other errors the file is opened again: SQLite may have opened it read-only while the disk was broken.
        guard !error.isPassing else { return }
        self.file = nil
        guard error.isCorruption, let directory = self.options.directory else { return }
        self.note(self.outbox.diskLost())
        self.isAdopted = true
        self.dates.diskLost()
        do throws(StoreError) {
            self.problem = "\(error). The database was renamed to \(try StoreFile.setAside(in: directory))"
        } catch {
            self.problem = error.description
        }
    }
}
