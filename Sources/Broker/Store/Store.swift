// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
import EventLoop
package import Base

/// What must not be lost: the records that the broker has not acknowledged, their numbers, and what was remembered.
///
/// Records are born in memory; ``flush(_:isLast:)`` writes them to one database. Without a database, or while it can't
/// be written, everything goes on in memory, and is written when that works again.
package actor Store {
    /// What a store is made with.
    package struct Options: Sendable {
        package var agent: String
        /// The kernel's id of this boot.
        package var boot: String
        /// Where the database is; nil keeps everything in memory.
        package var directory: String?
        /// The most bytes that the database may have.
        package var limit: Int64
        /// How many days what the broker has is kept as the recording of its vehicle; 0: not at all.
        package var keepDays: Int64
        /// The epoch where no database tells a later one: the seconds since 1970, which no lost database has used.
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

        /// The streams that are kept also after the broker has them.
        var recorded: Set<RecordStream> { self.directory == nil || self.keepDays == 0 ? [] : [.events, .telemetry] }
    }

    /// The room for records that are not on the disk, in bytes.
    package static let memoryLimit = 16 << 20
    /// After so many acknowledgements they are worth a commit of their own.
    private static let acknowledgementLimit = 200
    /// The time after which the dates are worth a page of a commit.
    private static let datesRideAfter = Duration.seconds(120)
    /// The age of the latest date on the disk at which a newer one is worth a commit of its own.
    private static let datesCommitAfter = Duration.seconds(3600)

    // What is written waits for the device.
    private nonisolated let executor: any SerialExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe self.executor.asUnownedSerialExecutor() }

    let options: Options
    var file: StoreFile?
    /// Why there is nothing on the disk, or not what is the newest; nil while all is well.
    package private(set) var problem: String?
    var remembered = Remembered()
    var dates = DateMemory()
    /// The dates on the disk, as far as this process knows.
    var writtenDates: DateMemory.Kept?
    /// The time at which the dates were written last, or could have been.
    private var datesSaved = MonotonicTime.zero
    private var epoch: UInt64
    private var lastNumbers: [RecordStream: UInt64] = [:]
    private var outbox: Outbox
    private var gaps: [RecordGap] = []
    /// When the present file was opened, or was to be; nil where there is to be none.
    private(set) var opened: MonotonicTime?
    /// Whether what is on the disk was taken over.
    private var isAdopted = false
    private var lastDraft: Draft?
    private var acknowledgements = 0
    private var retention: RetentionSchedule

    /// - Parameter executor: runs it; it may be kept waiting by a slow disk.
    package init(_ options: Options, executor: any SerialExecutor = SerialThread(named: "store")) {
        self.options = options
        self.executor = executor
        self.epoch = min(options.firstEpoch, RecordID.epochLimit)
        self.outbox = Outbox(limit: Self.memoryLimit, recorded: options.recorded)
        self.retention = RetentionSchedule(keepDays: options.keepDays)
    }

    /// What was found on the disk.
    package struct Opening: Sendable {
        /// The topic level of the vehicle that was connected last.
        package var vehicle: String?
        /// What tells that vehicle from others.
        package var mark: String?
        /// What is known of the date from before, in this boot.
        package var start: BootStart?
        /// Why there is no database; everything is in memory.
        package var problem: String?
        /// The new name of a damaged file.
        package var setAside: String?
        /// What was sent on the last day of which that was written down.
        package var traffic: DayTraffic?
        /// Commands that have been accepted, and nothing more.
        package var unfinished: [UnfinishedCommand] = []
    }

    /// Opens the database and begins an epoch; once, before anything else.
    package func open(at now: MonotonicTime) -> Opening {
        var opening = Opening()
        guard let directory = self.options.directory else { return opening }
        (self.opened, self.datesSaved) = (now, now)
        // Also where nothing can be written.
        if let last = EpochFile.last(in: directory) { self.epoch = max(self.epoch, min(last + 1, RecordID.epochLimit)) }
        opening.setAside = self.connect(.next(orFirst: self.epoch))
        opening.problem = self.problem
        guard let file = self.file else { return opening }
        self.epoch = file.epoch
        let last = try? file.lastVehicle()
        (opening.vehicle, opening.mark) = (last?.name, last?.mark)
        opening.start = try? file.start(of: self.options.boot)
        opening.traffic = try? file.traffic()
        opening.unfinished = (try? file.unfinishedCommands()) ?? []
        return opening
    }

    // MARK: - Records

    /// Numbers a record and keeps it until it is acknowledged.
    ///
    /// - Parameters:
    ///   - at: when it was born, in this boot.
    ///   - body: a JSON object.
    ///   - isCritical: whether it goes last when there is no room.
    ///   - flushing: what ``flush(_:isLast:)`` is given, if the record must be on the disk before it is sent.
    package func append(
        _ body: [UInt8],
        to stream: RecordStream,
        at: MonotonicTime,
        destination: StoredRecord.Destination,
        isCritical: Bool = false,
        flushing: FlushContext? = nil
    ) {
        let record = self.record(body, stream, at, destination, isCritical)
        self.lastNumbers[stream] = record.id.seq
        self.note(self.outbox.append(record))
        if let flushing { self.flush(flushing) }
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

    /// The next record to publish; nil when none waits.
    ///
    /// - Parameter held: streams that may not go out now.
    package func next(except held: Set<RecordStream> = []) -> StoredRecord? {
        var unreadable = held
        while true {
            switch self.outbox.next(except: unreadable) {
            case .none: return nil
            case .publish(let record): return record
            case .read(let stream, let after, let through):
                do throws(StoreError) {
                    guard let file = self.file else { throw .noDirectory(self.options.directory ?? "") }
                    self.outbox.read(
                        stream,
                        try file.page(of: stream, in: self.options.boot, after: after, through: through)
                    )
                } catch {
                    unreadable.insert(stream)
                    self.failed(error)
                }
            }
        }
    }

    /// The number of a record of this store.
    package nonisolated func number(of record: StoredRecord) -> RecordNumber {
        RecordNumber(agent: self.options.agent, epoch: record.id.epoch, seq: record.id.seq)
    }

    /// The broker has acknowledged the record.
    package func acknowledge(_ stream: RecordStream, _ id: RecordID) {
        self.outbox.acknowledge(stream, id)
        self.acknowledgements += 1
    }

    /// The broker will never take the record, which is in flight; it is announced as a gap.
    package func giveUp(_ stream: RecordStream, _ id: RecordID) {
        self.note(self.outbox.giveUp(stream, id))
        self.acknowledgements += 1
    }

    /// The connection is lost: what it carried is sent again over the next.
    package func returnInFlight() { self.outbox.returnInFlight() }

    /// What had to be thrown away since the last call, to be announced.
    package func takeGaps() -> [RecordGap] {
        defer { self.gaps = [] }
        return self.gaps
    }

    private func note(_ gaps: [RecordGap]) {
        for gap in gaps { self.gaps.add(gap) }
    }

    /// How the store is.
    package struct Status: Hashable, Sendable {
        /// How many records this process has numbered.
        package var numbered: UInt64
        /// How many records wait for the broker.
        package var records: Int
        /// How many were thrown away since the start.
        package var dropped: Int
        /// When the oldest that waits was born.
        package var oldest: StoredRecord.Birth?
        /// The bytes of the database that are in use; nil where there is none.
        package var bytes: Int64?
        /// Why there is no database, or why it is not up to date.
        package var problem: String?
    }

    /// How the store is now.
    package var status: Status {
        Status(
            numbered: self.lastNumbers.values.reduce(0, +),
            records: self.outbox.count,
            dropped: self.outbox.dropped,
            oldest: self.oldest,
            bytes: try? self.file?.used(),
            problem: self.problem
        )
    }

    private var oldest: StoredRecord.Birth? {
        let births = RecordStream.allCases.compactMap { stream -> StoredRecord? in
            let end = RecordID(rawValue: .max)
            let first = try? self.file?.page(
                of: stream,
                in: self.options.boot,
                after: self.outbox.sent(stream),
                through: end,
                limit: 1
            ).first
            // The open batch is on the disk, and does not wait.
            guard let first, first.id.epoch < self.epoch || first.id.seq <= self.lastNumbers[stream] ?? 0 else {
                return self.outbox.firstUnwritten(stream)
            }
            return first
        }
        return births.min { $0.id < $1.id }?.birth
    }

    // MARK: - Writing

    /// Writes what is not on the disk yet, in one commit; returns when the device has it.
    ///
    /// Where that fails everything stays in memory, and the next call tries again.
    ///
    /// - Parameter isLast: nothing more comes; what was acknowledged is written down even if there is nothing else.
    package func flush(_ context: FlushContext, isLast: Bool = false) {
        self.noteDate(at: context.now, context.start)
        guard self.options.directory != nil else { return }
        self.remembered.add(context.values)
        let draft = context.draft
        let datesAge = self.dates.kept == self.writtenDates ?? DateMemory.Kept() ? .zero : context.now - self.datesSaved
        let isWorthIt =
            !self.outbox.isWritten || !self.remembered.isEmpty || (draft != nil && draft != self.lastDraft)
            || self.acknowledgements >= (isLast ? 1 : Self.acknowledgementLimit)
            || self.latestDateLag >= Self.datesCommitAfter || (isLast && datesAge >= Self.datesRideAfter)
        guard isWorthIt else { return }
        if self.file == nil {
            // It may be another file.
            self.opened = context.now
            self.connect(.going(self.epoch))
        }
        guard let file = self.file, let opened = self.opened else { return self.outbox.unwritable() }
        var batch = StoreFile.Batch(boot: self.options.boot, start: context.start, opened: opened)
        batch.certainDate = self.dates.certain(context.start.date + context.now.sinceBoot)
        batch.records = self.outbox.unwritten
        batch.draft = draft.map { self.record($0.body, .telemetry, $0.at, $0.destination) }
        for stream in RecordStream.allCases {
            batch.marks[stream] = .init(
                sent: self.outbox.sent(stream),
                lastInFlight: self.outbox.lastInFlight(stream)
            )
        }
        self.remembered.fill(&batch)
        // By these dates the journal forgets commands, so they are on the disk together.
        if !batch.commands.isEmpty || isLast || datesAge >= Self.datesRideAfter
            || self.latestDateLag >= Self.datesCommitAfter
        {
            batch.dates = self.dates.kept
        }
        batch.expiry = self.retention.expiry(at: context.now, context.start)
        do throws(StoreError) {
            let evicted = try file.write(batch)
            self.outbox.written(draft: batch.draft?.id)
            for (stream, ids) in evicted { self.note(self.outbox.evicted(stream, ids)) }
            self.remembered = Remembered()
            if let dates = batch.dates { (self.writtenDates, self.datesSaved) = (dates, context.now) }
            self.lastDraft = draft
            self.acknowledgements = 0
            self.problem = nil
        } catch {
            self.outbox.unwritable()
            self.failed(error)
        }
    }

    /// Opens the database, and begins a new one where it is damaged.
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
            for stream in RecordStream.allCases { states.append((stream, try file.state(of: stream))) }
            for (stream, state) in states {
                self.outbox.opened(stream, sent: state.sent, last: state.last, waiting: state.waiting)
            }
            self.isAdopted = true
        }
        self.file = file
        self.problem = nil
    }

    private func failed(_ error: StoreError) {
        self.problem = error.description
        // A disk that comes back is opened again: SQLite may have been content with reading.
        guard !error.isPassing else { return }
        self.file = nil
        guard error.isCorruption, let directory = self.options.directory else { return }
        self.note(self.outbox.closed())
        self.isAdopted = true
        self.writtenDates = nil
        do throws(StoreError) {
            self.problem = "\(error); it was set aside as \(try StoreFile.setAside(in: directory))"
        } catch {
            self.problem = error.description
        }
    }
}
