// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Glibc
import Simulator

/// The serial line behind the characteristics of a connected device, with an ELM327 in a vehicle or nothing.
final class StandInSerialLine: Sendable {
    private struct State {
        var adapter = SimulatedAdapter()
        var vehicle = SimulatedVehicle()
        var packets: [[UInt8]] = []
        var isClosed = false
    }

    private let state = Locked(State())
    private let waiter = Waiter()
    private let isAdapter: Bool
    private let packetSize: Int

    init(isAdapter: Bool, mtu: Int) {
        self.isAdapter = isAdapter
        self.packetSize = mtu - 3
    }

    /// All received packets.
    var packets: [[UInt8]] { self.state.withLock { $0.packets } }

    func received(_ packet: [UInt8]) {
        let now = BootClock().now
        self.state.withLock { state in
            state.packets.append(packet)
            if self.isAdapter { state.adapter.bytesReceived(packet, at: now, in: &state.vehicle) }
        }
        self.waiter.notify()
    }

    /// Sends the adapter's output until the line is closed.
    func run(_ send: @escaping @Sendable ([UInt8]) -> Void) {
        Task {
            while true {
                let now = BootClock().now
                let (bytes, next, isClosed) = self.state.withLock { state in
                    (state.adapter.output(at: now), state.adapter.nextOutput, state.isClosed)
                }
                if isClosed { return }
                for start in stride(from: 0, to: bytes.count, by: self.packetSize) {
                    send(Array(bytes.dropFirst(start).prefix(self.packetSize)))
                }
                _ = await EventLoop.shared.wait(until: next ?? now + .seconds(3600), self.waiter)
            }
        }
    }

    func close() {
        self.state.withLock { $0.isClosed = true }
        self.waiter.notify()
    }
}

/// One end of a packet socket, whose other end BlueZ passes to its client.
final class PacketSocket: Sendable {
    private let descriptor: Int32

    /// Creates a connected pair.
    ///
    /// - Returns: the stand-in's end, and the client's end.
    static func pair() -> (PacketSocket, other: Int32) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        precondition(unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0)
        return (PacketSocket(ends[0]), ends[1])
    }

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        Glibc.close(self.descriptor)
    }

    func send(_ packet: [UInt8]) {
        _ = unsafe packet.withUnsafeBytes {
            unsafe Glibc.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Receives packets until an end is closed.
    ///
    /// A packet longer than an attribute is cut, as BlueZ does.
    func receive(_ take: @escaping @Sendable ([UInt8]) -> Void) {
        Task {
            let waiter = Waiter()
            var bytes = [UInt8](repeating: 0, count: 512)
            while true {
                let count = unsafe read(self.descriptor, &bytes, bytes.count)
                if count > 0 { take(Array(bytes.prefix(count))) }
                if count == 0 || count < 0 && errno != EAGAIN { return }
                if count < 0 {
                    let deadline = BootClock().now + .seconds(3600)
                    _ = await EventLoop.shared.wait(for: self.descriptor, .readable, until: deadline, waiter)
                }
            }
        }
    }

    /// Closes both ends.
    func close() {
        shutdown(self.descriptor, Int32(SHUT_RDWR))
    }
}
