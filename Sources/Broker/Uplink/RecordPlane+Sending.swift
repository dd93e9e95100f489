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
    func next(isEnding: Bool = false) async -> StoredRecord? {
        guard isEnding ? self.sender.hasRoomBeforeEnd : self.sender.hasRoom(at: self.clock.now) else { return nil }
        return await self.store.next(except: self.heldStreams)
    }

    /// Returns all records in flight to the queue.
    func returnInFlight() async { await self.store.returnInFlight() }

    /// Forgets the records in flight, because the connection is lost.
    func connectionLost() async {
        self.sender.connectionLost()
        await self.store.returnInFlight()
    }

    /// Publishes a record.
    ///
    /// - Returns: false if the connection took none of it.
    func publish(_ record: StoredRecord, over connection: any BrokerConnection) async -> Bool {
        guard let messages = self.encoder.messages(of: record, BootStart(of: self.clock)) else {
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
        guard let record = self.sender.acknowledged(packet, at: self.clock.now) else { return }
        await self.store.acknowledge(record.stream, record.id)
        self.notifyPump()
    }

    func rejected(_ packet: PacketID, _ code: UInt8) async {
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
}
