// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Logging
import Store

/// The record plane of an uplink: numbered records, each stored until the broker has acknowledged it.
///
/// The plane gives the store the events, the responses and the batches of samples, decides when the disk is written,
/// and accounts for the data budget. It belongs to one ``Uplink``, whose executor runs its functions. Of the connection
/// it knows only what it is passed.
final class RecordPlane {
    let store: Store
    let clock: any CalendarClock
    let logger: Logger
    let encoder: RecordEncoder
    /// The vehicle of the samples and of new events.
    var vehicle: String
    private var samples: SampleRecorder
    private var responses: ResponseAdmission
    private var flushes: FlushSchedule
    /// The data budget of the day.
    private(set) var traffic: DailyBudget
    var sender = RecordSender()
    var resends: ResendQueue

    init(
        _ options: UplinkOptions,
        vehicle: String,
        earlier: DayTraffic?,
        store: Store,
        clock: any CalendarClock,
        logger: Logger
    ) {
        let now = clock.now
        self.store = store
        self.clock = clock
        self.logger = logger
        self.encoder = RecordEncoder(options)
        self.vehicle = vehicle
        self.samples = SampleRecorder(batchInterval: options.batchInterval)
        self.responses = ResponseAdmission(
            topicPrefix: options.topicPrefix,
            dailyBudget: options.dailyBudget,
            at: now
        )
        self.flushes = FlushSchedule(window: options.storeWindow, at: now)
        self.traffic = DailyBudget(limit: options.dailyBudget, earlier: earlier, at: now)
        self.resends = ResendQueue(at: now)
    }

    // MARK: - Samples

    /// Adds samples to the telemetry batch, and records the batches that end before them.
    func ingest(_ samples: [Uplink.Sample]) async {
        for sample in samples {
            if let batch = self.samples.add(sample, of: self.vehicle, at: self.traffic.level) {
                await self.record(batch)
            }
        }
        if self.flushes.isImmediate { await self.save() }
    }

    /// Adds points of the vehicle's track to the part that is recorded next.
    func ingest(_ points: [TrackBatcher.Point]) async {
        for point in points { self.samples.add(point) }
        if self.flushes.isImmediate { await self.save() }
    }

    /// Records the batch whose interval has passed, if it has.
    func endDueBatch() async {
        if let batch = self.samples.flush(at: self.clock.now) { await self.record(batch) }
    }

    /// Records the incomplete batch, and writes everything to the disk.
    func endBatch() async {
        if let batch = self.samples.take() { await self.record(batch) }
        await self.save()
    }

    private func record(_ batch: TelemetryBatcher.Batch) async {
        let destination = StoredRecord.Destination(vehicle: self.vehicle)
        let body = Telemetry(series: batch.series, track: batch.track)
        await self.record(body, to: .telemetry, at: batch.start, destination: destination)
    }

    // MARK: - Events and responses

    func record(
        _ event: AgentEvent,
        of vehicle: String? = nil,
        at time: MonotonicTime? = nil,
        in boot: StoredRecord.Birth.Boot? = nil,
        with state: StoredState? = nil
    ) async -> String? {
        await self.record(
            event,
            to: .events,
            at: time,
            destination: StoredRecord.Destination(vehicle: vehicle ?? self.vehicle),
            isCritical: event.event.isCritical,
            isUrgent: event.event.isCritical || event.event == .disconnected || state != nil,
            in: boot,
            with: state
        )
    }

    func keep(_ draft: AgentEvent, at time: MonotonicTime) async {
        do {
            let destination = StoredRecord.Destination(vehicle: self.vehicle)
            let draft = Store.Draft(body: try PayloadEncoder.bytes(of: draft), at: time, destination: destination)
            await self.store.keep(draft, flushing: self.takeFlushContext())
            await self.reportStore()
        } catch {
            self.logger.error("An event could not be encoded: \(error)")
        }
    }

    func record(completing event: AgentEvent, at time: MonotonicTime) async {
        await self.record(
            event,
            to: .events,
            at: time,
            destination: StoredRecord.Destination(vehicle: self.vehicle),
            isCritical: event.event.isCritical,
            isUrgent: true,
            endsDraft: true
        )
    }

    /// Returns the seconds after which there is room for the responses to another unsigned command; 0 if there is now.
    func delayOfStranger() -> Int { self.responses.delayOfStranger(at: self.clock.now) }

    func record(_ response: CommandResponse, to request: Message, vehicle: String) async -> String? {
        let isDurable = response.isDurable
        guard let admitted = self.responses.admit(response, to: request, vehicle: vehicle, at: self.clock.now) else {
            return nil
        }
        self.traffic.addForStrangers(admitted.strangerBytes)
        let problem = await self.record(
            admitted.response,
            to: .responses,
            destination: admitted.destination,
            isCritical: isDurable,
            isUrgent: isDurable
        )
        return isDurable ? problem ?? self.storeProblem : nil
    }

    /// Records that numbers are missing for good, for consumers.
    func recordGaps() async {
        for gap in await self.store.takeGaps() {
            self.logger.warning(
                """
                Records were dropped: there was no room for them, or the broker forbids them. Try: a larger \
                [store] limit_mib, or the broker's access list
                """,
                metadata: ["stream": "\(gap.stream)", "epoch": "\(gap.epoch)", "numbers": "\(gap.range)"]
            )
            _ = await self.record(AgentEvent(dropped: gap))
        }
    }

    /// Gives the store a new record, which is in memory when this returns.
    ///
    /// - Parameters:
    ///   - isCritical: whether the record is dropped last if there is no room.
    ///   - isUrgent: whether the record is on the disk as well when this returns, unless the disk refuses it.
    ///   - endsDraft: whether the record takes the place of the event that was still being made.
    ///   - boot: the boot of the birth, if it is not the present one.
    ///   - state: the state of the vehicle, which is written in the same commit as the record.
    /// - Returns: the reason why the body is not recorded; nil if it is.
    @discardableResult
    private func record(
        _ body: some Encodable & Sendable,
        to stream: RecordStream,
        at time: MonotonicTime? = nil,
        destination: StoredRecord.Destination,
        isCritical: Bool = false,
        isUrgent: Bool = false,
        endsDraft: Bool = false,
        in boot: StoredRecord.Birth.Boot? = nil,
        with state: StoredState? = nil
    ) async -> String? {
        defer { self.notifyPump() }
        let isUrgent = isUrgent || self.flushes.isImmediate
        do {
            await self.store.append(
                try PayloadEncoder.bytes(of: body),
                to: stream,
                at: time ?? self.clock.now,
                destination: destination,
                isCritical: isCritical,
                endsDraft: endsDraft,
                in: boot,
                with: state,
                // The flush comes before the record can be published.
                flushing: isUrgent ? self.takeFlushContext() : nil
            )
            if isUrgent { await self.reportStore() }
            return nil
        } catch {
            self.logger.error("A record could not be encoded: \(error)", metadata: ["stream": "\(stream)"])
            return "\(error)"
        }
    }

    // MARK: - The disk

    /// The reason why the newest records are not on the disk, for example a full disk; nil if they are.
    var storeProblem: String? { self.flushes.problem }

    /// Flushes the store if its window has passed, or will have before the next tick.
    func saveIfDue() async {
        if self.flushes.isDue(at: self.clock.now, tick: Uplink.tick) { await self.save() }
    }

    /// Flushes the store, and writes a snapshot of the incomplete batch with it.
    ///
    /// - Parameter isLast: whether no more data follows.
    func save(isLast: Bool = false) async {
        self.flushes.flushed(at: self.clock.now)
        if let day = self.traffic.dayToRemember(isLast: isLast) { await self.store.remember(day) }
        await self.store.flush(self.takeFlushContext(), isLast: isLast)
        await self.reportStore()
    }

    private func takeFlushContext() -> Store.FlushContext {
        Store.FlushContext(
            now: self.clock.now,
            start: BootStart(of: self.clock),
            draft: self.samples.draft(of: self.vehicle),
            values: self.samples.takeValues()
        )
    }

    private func reportStore() async {
        let problem = await self.store.problem
        guard self.flushes.ended(problem) else { return }
        if let problem {
            self.logger.error(
                "Records are kept in memory only: \(problem)",
                metadata: [JournalEvent.metadataKey: "\(JournalEvent.inMemoryOnly.rawValue)"]
            )
        } else {
            self.logger.notice("Records are kept on the disk again")
        }
    }

    // MARK: - The budget

    /// Excludes bytes for strangers from the budget of the day.
    func addForStrangers(_ bytes: Int) { self.traffic.addForStrangers(bytes) }

    /// Counts bytes of a record that is published again.
    func addResent(_ bytes: Int) { self.traffic.addResent(bytes) }

    /// Adds bytes that were sent to the budget of the day.
    func addSent(_ bytes: Int) {
        let isDateKnown = self.clock.quality == .synchronised
        let date = isDateKnown ? self.clock.timestamp.milliseconds / (24 * 3600 * 1000) : nil
        let before = self.traffic.level
        self.traffic.add(bytes, at: self.clock.now, on: date)
        guard self.traffic.level != before else { return }
        self.logger.notice(
            "The level of the day's data budget has changed",
            metadata: ["level": "\(self.traffic.level.rawValue)", "sent": "\(self.traffic.sent)"]
        )
    }
}

extension AgentEvent {
    /// Creates the event `records_dropped` for a gap.
    fileprivate init(dropped gap: RecordGap) {
        self.init(.recordsDropped)
        self.stream = gap.stream.rawValue
        (self.ofEpoch, self.from, self.to) = (gap.epoch, gap.range.lowerBound, gap.range.upperBound)
    }
}
