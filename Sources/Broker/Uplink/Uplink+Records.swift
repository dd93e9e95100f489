// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract
import Logging
import MQTT
package import Store

// Records go to the record plane, and its records to the broker.
extension Uplink {
    /// Records an event.
    ///
    /// Critical events, events with a state, and the loss of the adapter are written to the disk before this returns. If
    /// the write fails, ``storeProblem`` has the reason.
    ///
    /// - Parameters:
    ///   - vehicle: the vehicle of the event; nil: the current one.
    ///   - boot: the boot whose clock has the time; nil for the present one.
    ///   - state: the state of the vehicle after the event, which is written in the same commit.
    /// - Returns: the reason why the event is not recorded; nil if it is.
    @discardableResult
    package func record(
        _ event: AgentEvent,
        of vehicle: String? = nil,
        at time: MonotonicTime? = nil,
        in boot: StoredRecord.Birth.Boot? = nil,
        with state: StoredState? = nil
    ) async -> String? {
        // An event of another vehicle or boot is no news about this one.
        if vehicle ?? self.vehicle == self.vehicle, boot == nil { self.feed(event, at: time) }
        return await self.records.record(event, of: vehicle, at: time, in: boot, with: state)
    }

    private func feed(_ event: AgentEvent, at time: MonotonicTime?) {
        self.feed.recorded(event, at: self.clock.timestamp(of: time ?? self.clock.now), self.clock.quality)
    }

    /// Keeps an event that is still being made on the disk, in place of an earlier one.
    ///
    /// If the agent ends before ``record(completing:at:)``, the next process records what was kept.
    package func keep(_ draft: AgentEvent, at time: MonotonicTime) async { await self.records.keep(draft, at: time) }

    /// Records an event in place of what ``keep(_:at:)`` has kept.
    package func record(completing event: AgentEvent, at time: MonotonicTime) async {
        self.feed(event, at: time)
        await self.records.record(completing: event, at: time)
    }

    /// Keeps the numbers of captures on a day; the next flush writes them.
    package func remember(_ captures: DayCaptures) async { await self.records.store.remember(captures) }

    /// Keeps a state of the current vehicle; the next flush writes it.
    package func remember(_ state: StoredState) async {
        await self.records.store.remember(state, of: self.vehicle)
    }

    /// Returns the seconds after which there is room for the responses to another unsigned command; 0 if there is now.
    package func delayOfStranger() -> Int { self.records.delayOfStranger() }

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
        await self.records.record(response, to: request, vehicle: vehicle)
    }

    /// Returns the seconds after which records may be published again; 0 if they may now.
    package func delayOfResend() -> Int { self.records.delayOfResend() }

    /// Queues acknowledged records to be published again, after all that is new.
    ///
    /// - Throws: if the disk can't be read.
    package func resend(_ request: ResendArguments) async throws(StoreError) -> ResendReport {
        try await self.records.resend(request)
    }

    /// The reason why the newest records are not on the disk, for example a full disk; nil if they are.
    package var storeProblem: String? { self.records.storeProblem }

    /// Flushes the store, and writes a snapshot of the incomplete batch with it.
    package func save() async { await self.records.save() }

    // MARK: - The broker

    /// Announces to consumers that numbers are missing for good.
    ///
    /// The announcement is a record itself, so it waits for a connection: offline it could push out more records.
    func announceGaps() async {
        guard self.link.isConnected else { return }
        await self.records.recordGaps()
    }

    /// Publishes the waiting records at each notification, until the task is cancelled.
    func pumpForever() async {
        for await _ in self.records.notifications { await self.pump() }
    }

    private func pump() async {
        while !Task.isCancelled, let connection = self.link.openConnection, let record = await self.records.next() {
            // The connection may have been replaced during the wait for the store.
            guard self.link.openConnection === connection, await self.records.publish(record, over: connection) else {
                return await self.records.returnInFlight()
            }
        }
    }

    func acknowledged(_ packet: PacketID) async {
        if self.announcements.answered(packet) { return }
        await self.records.acknowledged(packet)
    }

    func rejected(_ packet: PacketID, _ code: UInt8) async {
        if self.announcements.answered(packet, rejection: code) { return }
        await self.records.rejected(packet, code)
    }

    /// Ends a connection over which nothing is acknowledged.
    ///
    /// The next one sends its records again.
    func endConnectionIfStalled() async {
        guard let connection = self.link.openConnection, self.records.sender.isStalled(at: self.clock.now) else {
            return
        }
        self.logger.warning(
            "The broker acknowledges nothing, so the agent connects again. Try: read the broker's log",
            metadata: ["waited": "\(RecordSender.acknowledgementTimeout.milliseconds) ms"]
        )
        self.link.suspend()
        await connection.disconnect(endingSession: false)
    }
}
