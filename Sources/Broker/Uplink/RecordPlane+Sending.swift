// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Logging
import MQTT
import Store

// The way of the stored records to the broker.
extension RecordPlane {
    /// The streams that wait for the budget of the next day.
    private var heldStreams: Set<RecordStream> { self.traffic.level == .exhausted ? [.telemetry] : [] }

    /// The notifications that records wait.
    ///
    /// A single task may read them.
    var notifications: AsyncStream<Void> { self.sender.notifications.stream }

    /// Notifies the task that sends records.
    func notifyPump() { self.sender.notifications.continuation.yield() }

    /// Returns the next record that may be published now; nil if there is none.
    ///
    /// - Parameter isEnding: whether the connection ends after it, so that neither a pause nor the window counts.
    func next(isEnding: Bool = false) async -> OutgoingRecord? {
        guard isEnding ? self.sender.hasRoomBeforeEnd : self.sender.hasRoom(at: self.clock.now) else { return nil }
        if let record = await self.store.next(except: self.heldStreams) {
            return OutgoingRecord(record: record, isAgain: false)
        }
        return isEnding ? nil : await self.nextAgain()
    }

    /// Returns all records in flight to their queues.
    func returnInFlight() async {
        self.resends.returnInFlight()
        await self.store.returnInFlight()
    }

    /// Forgets the records in flight, because the connection is lost.
    func connectionLost() async {
        self.sender.connectionLost()
        await self.returnInFlight()
    }

    /// Publishes a record.
    ///
    /// - Returns: false if the connection took none of it.
    func publish(_ outgoing: OutgoingRecord, over connection: any BrokerConnection) async -> Bool {
        let record = outgoing.record
        guard let messages = self.encoder.messages(of: outgoing, BootStart(of: self.clock)) else {
            self.logger.error(
                "A record on the disk is damaged, so it is not published. Try: check the disk",
                metadata: ["stream": "\(record.stream)", "number": "\(record.id.seq)"]
            )
            await self.ended(record.stream, record.id, isAgain: outgoing.isAgain)
            return true
        }
        do {
            for copy in messages.dropFirst() { _ = try connection.publish(copy) }
            let packet = try connection.publish(messages[0])
            self.sender.published(outgoing, as: packet, at: self.clock.now)
            if outgoing.isAgain { self.addResent(PacketSize.publish(messages[0], .v5)) }
            return true
        } catch {
            self.logger.debug("Not published: \(error)", metadata: ["stream": "\(record.stream)"])
            return false
        }
    }

    func acknowledged(_ packet: PacketID) async {
        guard let record = self.sender.acknowledged(packet, at: self.clock.now) else { return }
        await self.ended(record.stream, record.id, isAgain: record.isAgain)
        self.notifyPump()
    }

    /// Takes note that a record needs no attempt any more.
    ///
    /// The marks of the store are those of the first attempt, so a record that was published again leaves them alone.
    private func ended(_ stream: RecordStream, _ id: RecordID, isAgain: Bool) async {
        if isAgain { self.resends.remove(stream, id) } else { await self.store.acknowledge(stream, id) }
    }

    func rejected(_ packet: PacketID, _ code: UInt8) async {
        let now = self.clock.now
        if let report = self.sender.rejectionReport(packet, code, vehicle: self.vehicle, at: now) {
            self.logger.error("\(report)", metadata: ["reason_code": "\(code)"])
        }
        switch self.sender.rejected(packet, code, vehicle: self.vehicle, at: now) {
        case .none: break
        case .giveUp(let record):
            if record.isAgain {
                self.resends.remove(record.stream, record.id)
            } else {
                await self.store.giveUp(record.stream, record.id)
            }
            self.notifyPump()
        case .returnInFlight: await self.returnInFlight()
        }
    }
}
