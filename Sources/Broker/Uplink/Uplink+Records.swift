// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract
import Logging
import MQTT
import Store

// The record plane: numbered records, each stored until the broker has acknowledged it.
extension Uplink {
    /// Records an event.
    ///
    /// Critical events, and the loss of the adapter, are written to the disk before this returns. If the write fails,
    /// ``storeProblem`` has the reason.
    ///
    /// - Parameter vehicle: the vehicle of the event; nil: the current one.
    /// - Returns: the reason why the event is not recorded; nil if it is.
    @discardableResult
    package func record(
        _ event: AgentEvent,
        of vehicle: String? = nil,
        at time: MonotonicTime? = nil
    ) async -> String? {
        await self.record(
            event,
            to: .events,
            at: time,
            destination: StoredRecord.Destination(vehicle: vehicle ?? self.vehicle),
            isCritical: event.event.isCritical,
            isUrgent: event.event.isCritical || event.event == .disconnected
        )
    }

    /// Whether there is room for the responses to another unsigned command.
    package func mayAnswerStranger() -> Bool { self.responses.hasRoomForStranger(at: self.clock.now) }

    /// Records a response, and sends a copy to the requester's response topic.
    ///
    /// A durable response is written to the disk before this returns. A stranger gets no more than
    /// ``StrangerAccount`` has room for.
    ///
    /// - Parameters:
    ///   - request: the command's message. Its response topic counts only below the vehicle's own `responses/`.
    ///   - vehicle: the vehicle of the command.
    /// - Returns: the reason why a power cut would lose a durable response; nil if it would not, or the response is
    ///   not durable.
    @discardableResult
    package func record(_ response: CommandResponse, to request: Message, vehicle: String) async -> String? {
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

    /// Announces to consumers that numbers are missing for good.
    ///
    /// The announcement is a record itself, so it waits for a connection: offline it could push out more records.
    func announceGaps() async {
        guard self.link.isConnected else { return }
        for gap in await self.store.takeGaps() {
            self.logger.warning(
                """
                Records were dropped: there was no room for them, or the broker forbids them. Try: a larger \
                [store] limit_mib, or the broker's access list
                """,
                metadata: ["stream": "\(gap.stream)", "epoch": "\(gap.epoch)", "numbers": "\(gap.range)"]
            )
            await self.record(AgentEvent(dropped: gap))
        }
    }

    func record(_ batch: TelemetryBatcher.Batch) async {
        let destination = StoredRecord.Destination(vehicle: self.vehicle)
        await self.record(Telemetry(series: batch.series), to: .telemetry, at: batch.start, destination: destination)
    }

    /// Gives the store a new record, which is in memory when this returns.
    ///
    /// - Parameters:
    ///   - isCritical: whether the record is dropped last if there is no room.
    ///   - isUrgent: whether the record is on the disk as well when this returns, unless the disk refuses it.
    /// - Returns: the reason why the body is not recorded; nil if it is.
    @discardableResult
    private func record(
        _ body: some Encodable & Sendable,
        to stream: RecordStream,
        at time: MonotonicTime? = nil,
        destination: StoredRecord.Destination,
        isCritical: Bool = false,
        isUrgent: Bool = false
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
    package var storeProblem: String? { self.flushes.problem }

    /// Flushes the store if its window has passed, or will have before the next tick.
    func saveIfDue() async {
        if self.flushes.isDue(at: self.clock.now, tick: Self.tick) { await self.save() }
    }

    /// Flushes the store, and writes a snapshot of the incomplete batch with it.
    ///
    /// - Parameter isLast: whether no more data follows.
    package func save(isLast: Bool = false) async {
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

    // MARK: - The broker

    /// The streams that wait for the budget of the next day.
    var heldStreams: Set<RecordStream> { self.traffic.level == .exhausted ? [.telemetry] : [] }

    /// Notifies ``pumpForever()`` that records wait.
    func notifyPump() { self.sender.notifications.continuation.yield() }

    /// Publishes the waiting records at each notification, until the task is cancelled.
    func pumpForever() async {
        for await _ in self.sender.notifications.stream { await self.pump() }
    }

    private func pump() async {
        while !Task.isCancelled, let connection = self.link.openConnection, self.sender.hasRoom(at: self.clock.now),
            let record = await self.store.next(except: self.heldStreams)
        {
            // The connection may have been replaced during the wait for the store.
            guard self.link.openConnection === connection, await self.publish(record, over: connection) else {
                return await self.store.returnInFlight()
            }
        }
    }

    /// Publishes a record.
    ///
    /// - Returns: false if the connection took none of it.
    func publish(_ record: StoredRecord, over connection: any BrokerConnection) async -> Bool {
        guard let messages = RecordEncoder(self.options).messages(of: record, BootStart(of: self.clock)) else {
            self.logger.error(
                "A record on the disk is damaged, so it is not published. Try: check the disk",
                metadata: ["stream": "\(record.stream)", "number": "\(record.id.seq)"]
            )
            await self.store.acknowledge(record.stream, record.id)
            return true
        }
        do {
            for copy in messages.dropFirst() { _ = try connection.publish(copy) }
            let packet = try connection.publish(messages[0])
            self.sender.published(record, as: packet, at: self.clock.now)
            return true
        } catch {
            self.logger.debug("Not published: \(error)", metadata: ["stream": "\(record.stream)"])
            return false
        }
    }

    func acknowledged(_ packet: PacketID) async {
        if self.announcements.answered(packet) { return }
        guard let record = self.sender.acknowledged(packet, at: self.clock.now) else { return }
        await self.store.acknowledge(record.stream, record.id)
        self.notifyPump()
    }

    func rejected(_ packet: PacketID, _ code: UInt8) async {
        if self.announcements.answered(packet, rejection: code) { return }
        let now = self.clock.now
        if let report = self.sender.rejectionReport(packet, code, vehicle: self.vehicle, at: now) {
            self.logger.error("\(report)", metadata: ["reason_code": "\(code)"])
        }
        switch self.sender.rejected(packet, code, vehicle: self.vehicle, at: now) {
        case .none: break
        case .giveUp(let record):
            await self.store.giveUp(record.stream, record.id)
            self.notifyPump()
        case .returnInFlight: await self.store.returnInFlight()
        }
    }

    /// Ends a connection over which nothing is acknowledged.
    ///
    /// The next one sends its records again.
    func endConnectionIfStalled() async {
        guard let connection = self.link.openConnection, self.sender.isStalled(at: self.clock.now) else { return }
        self.logger.warning(
            "The broker acknowledges nothing, so the agent connects again. Try: read the broker's log",
            metadata: ["waited": "\(RecordSender.acknowledgementTimeout.milliseconds) ms"]
        )
        self.link.suspend()
        await connection.disconnect(endingSession: false)
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
