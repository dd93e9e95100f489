// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import SocketCAN

/// A CAN port that reports each wait for it to a ``Pulse``.
final class WatchedPort: CANPort {
    private let port: any CANPort
    private let clock: WatchedClock

    init(_ port: any CANPort, _ clock: WatchedClock) {
        self.port = port
        self.clock = clock
    }

    var interface: String { self.port.interface }

    func details() throws(CANError) -> CANDetails { try self.port.details() }
    func receiveFrames(_ filters: [CANFilter]) throws(CANError) { try self.port.receiveFrames(filters) }
    func open(_ channel: CANChannel) throws(CANError) { try self.port.open(channel) }
    func close(_ channel: CANChannel) { self.port.close(channel) }
    func receiveAvailable() throws(CANError) -> CANInput? { try self.port.receiveAvailable() }
    func interruptReceive() { self.port.interruptReceive() }
    func close() { self.port.close() }

    func send(_ message: [UInt8], over channel: CANChannel) throws(CANError) {
        try self.port.send(message, over: channel)
    }

    func sendFrame(_ data: [UInt8], _ identifier: CANIdentifier) throws(CANError) {
        try self.port.sendFrame(data, identifier)
    }

    func receive(until deadline: MonotonicTime) async throws(CANError) -> CANInput {
        let wait = self.clock.pulse.beginWait(until: deadline)
        defer { self.clock.pulse.endWait(wait, at: self.clock.clock.now) }
        return try await self.port.receive(until: deadline)
    }
}
