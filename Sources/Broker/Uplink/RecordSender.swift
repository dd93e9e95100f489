// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import MQTT
import Store

/// The records between ``Store`` and the broker: which are in flight, and when the next may go.
struct RecordSender: Sendable {
    /// The largest number of records in flight.
    static let window = 20
    /// The pause of all records after the broker has rejected one.
    static let rejectionPause = Duration.seconds(60)
    /// The time for which records of a vehicle other than the current one wait for the right to be published.
    static let forbiddenTimeout = Duration.seconds(600)
    /// The largest number of such vehicles that are tracked.
    static let forbiddenLimit = 16
    /// The time after which a connection is ended over which the broker acknowledges no record at all.
    static let acknowledgementTimeout = Duration.seconds(60)
    /// The reason code "not authorized" (MQTT 5, section 3.4.2.1).
    static let notAuthorized: UInt8 = 0x87

    struct InFlight: Hashable, Sendable {
        let stream: RecordStream
        let id: RecordID
        let vehicle: String
        /// Whether a consumer has asked for the record again.
        let isAgain: Bool
    }

    /// Notifies the task that publishes records, so that the recording task does not wait for older records.
    let notifications = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private var inFlight: [PacketID: InFlight] = [:]
    private var resumesAt = MonotonicTime.zero
    /// The earliest time of the next log line about a rejection.
    private var reportsAt = MonotonicTime.zero
    /// The time of the first rejection, by vehicle, while the broker forbids to publish for that vehicle.
    private var forbiddenSince: [String: MonotonicTime] = [:]
    /// The time of the last acknowledgement, or of the first record in flight after none was.
    private var acknowledgedAt = MonotonicTime.zero

    /// Whether another record may be published now.
    func hasRoom(at now: MonotonicTime) -> Bool { now >= self.resumesAt && self.inFlight.count < Self.window }

    /// Whether another record may be published before the last connection is closed, despite the pause and the window.
    var hasRoomBeforeEnd: Bool { self.inFlight.count < 2 * Self.window }

    mutating func published(_ outgoing: OutgoingRecord, as packet: PacketID, at now: MonotonicTime) {
        if self.inFlight.isEmpty { self.acknowledgedAt = now }
        let record = outgoing.record
        self.inFlight[packet] = InFlight(
            stream: record.stream,
            id: record.id,
            vehicle: record.destination.vehicle,
            isAgain: outgoing.isAgain
        )
    }

    /// Returns the record that the broker has acknowledged; nil if the packet carried none.
    mutating func acknowledged(_ packet: PacketID, at now: MonotonicTime) -> InFlight? {
        guard let record = self.inFlight.removeValue(forKey: packet) else { return nil }
        self.acknowledgedAt = now
        self.forbiddenSince[record.vehicle] = nil
        return record
    }

    enum RejectionAction: Hashable, Sendable {
        /// The packet carried no record.
        case none
        /// The record is announced as a gap, unless it was published again, and the others go on.
        case giveUp(InFlight)
        /// All records in flight return to the queue, and wait for ``rejectionPause``.
        case returnInFlight
    }

    /// The broker has rejected a packet, for lack of permission or quota.
    ///
    /// The record is kept, and all records pause. A record of a vehicle other than the current one must not block the
    /// others: if the broker forbids it for longer than ``forbiddenTimeout``, it is given up. A record that is published
    /// again never blocks the others.
    ///
    /// - Parameter vehicle: the current vehicle.
    mutating func rejected(
        _ packet: PacketID,
        _ code: UInt8,
        vehicle: String,
        at now: MonotonicTime
    ) -> RejectionAction {
        guard let record = self.inFlight.removeValue(forKey: packet) else { return .none }
        if record.isAgain { return .giveUp(record) }
        if code == Self.notAuthorized, record.vehicle != vehicle, self.isForbiddenForLong(record.vehicle, at: now) {
            return .giveUp(record)
        }
        self.resumesAt = now + Self.rejectionPause
        self.inFlight = [:]
        return .returnInFlight
    }

    /// Returns the error to log before ``rejected(_:_:vehicle:at:)``; nil if the last one is less than a pause ago.
    mutating func rejectionReport(
        _ packet: PacketID,
        _ code: UInt8,
        vehicle: String,
        at now: MonotonicTime
    ) -> String? {
        // Rejections come in groups.
        guard now >= self.reportsAt else { return nil }
        self.reportsAt = now + Self.rejectionPause
        guard code == Self.notAuthorized else { return "The broker rejects messages" }
        let name = self.inFlight[packet]?.vehicle ?? vehicle
        return "The broker rejects messages: its access list forbids this client the topics of \(name)"
    }

    private mutating func isForbiddenForLong(_ vehicle: String, at now: MonotonicTime) -> Bool {
        if self.forbiddenSince[vehicle] == nil, self.forbiddenSince.count < Self.forbiddenLimit {
            self.forbiddenSince[vehicle] = now
        }
        return self.forbiddenSince[vehicle].map { now - $0 >= Self.forbiddenTimeout } ?? false
    }

    /// Ends the pause after a rejection: with other credentials the broker may accept the rejected records.
    mutating func resume(at now: MonotonicTime) { self.resumesAt = now }

    /// The connection is lost, and with it all acknowledgements.
    mutating func connectionLost() { self.inFlight = [:] }

    /// Whether the broker has acknowledged none of the records in flight for ``acknowledgementTimeout``.
    func isStalled(at now: MonotonicTime) -> Bool {
        !self.inFlight.isEmpty && now - self.acknowledgedAt >= Self.acknowledgementTimeout
    }
}
