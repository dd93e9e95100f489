// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Systemd

/// A link over two GATT characteristics.
///
/// Packets travel through sockets from BlueZ if it offers them (`AcquireNotify`, `AcquireWrite`), or else as D-Bus
/// values. Longer data is split into packets. Long writes are never used, because adapters take each packet as serial
/// input.
final class GATTLink: AdapterLink {
    /// The transport of received packets.
    enum Input: Sendable {
        case socket(DescriptorLink)
        case signals(SignalInput)
    }

    /// The transport of sent packets.
    enum Output: Sendable {
        case socket(DescriptorLink)
        /// `WriteValue` on this characteristic, with or without a response of the adapter.
        case calls(String, withResponse: Bool)
    }

    /// The timeout for the adapter's acknowledgment of a packet.
    private static let writeTimeout = Duration.seconds(5)

    let address: String
    private let device: Device
    private let monitor: BlueZMonitor
    private let input: Input
    private let output: Output
    /// The largest packet, in bytes.
    private let packetSize: Int
    private let refusal = Locked<BusError?>(nil)

    /// The error with which the adapter last refused a packet; nil if it refused none.
    var lastRefusal: BusError? { self.refusal.withLock { $0 } }

    /// The device behind the link.
    struct Device: Hashable, Sendable {
        /// The path of BlueZ's object.
        let path: String
        let address: BluetoothAddress
        /// The number of the controller of the connection, as in `hci0`.
        let controller: Int32
    }

    /// Creates a link over open characteristics.
    ///
    /// - Parameter mtu: the ATT MTU, of which three bytes are protocol overhead.
    init(_ monitor: BlueZMonitor, _ device: Device, input: Input, output: Output, mtu: Int) {
        self.address = "ble:\(device.address)"
        self.monitor = monitor
        self.device = device
        self.input = input
        self.output = output
        // BlueZ reads at most the longest attribute (512 bytes) from its socket, and drops the rest.
        self.packetSize = min(max(20, mtu - 3), 512)
    }

    deinit {
        self.closeChannels()
    }

    func read(until deadline: MonotonicTime) async throws(LinkError) -> LinkInput {
        switch self.input {
        case .socket(let socket): try await socket.read(until: deadline)
        case .signals(let signals): try await signals.read(until: deadline)
        }
    }

    func write(_ bytes: [UInt8]) async throws(LinkError) {
        // The fast path of nearly every command.
        if bytes.count <= self.packetSize { return try await self.write(packet: bytes) }
        var rest = bytes[...]
        while !rest.isEmpty {
            try await self.write(packet: Array(rest.prefix(self.packetSize)))
            rest = rest.dropFirst(self.packetSize)
        }
    }

    private func write(packet: [UInt8]) async throws(LinkError) {
        switch self.output {
        case .socket(let socket): try await socket.write(packet)
        case .calls(let path, let withResponse): try await self.writeValue(packet, path, withResponse)
        }
    }

    private func writeValue(_ packet: [UInt8], _ path: String, _ withResponse: Bool) async throws(LinkError) {
        do throws(BusError) {
            try await self.monitor.call(
                path,
                BlueZInterface.characteristic,
                "WriteValue",
                [.bytes(packet), .options(["type": .string(withResponse ? "request" : "command")])],
                timeout: Self.writeTimeout
            )
        } catch {
            self.refusal.withLock { $0 = error }
            throw error == .timedOut ? .writeTimedOut : .lost(error.description)
        }
    }

    func signalStrength() async -> Int? {
        await HCI.rssi(of: self.device.address, controller: self.device.controller)
    }

    /// Requests the shortest connection interval.
    func shortenInterval() async -> HCI.Outcome {
        await HCI.shortenInterval(of: self.device.address, controller: self.device.controller)
    }

    func interruptRead() {
        switch self.input {
        case .socket(let socket): socket.interruptRead()
        case .signals(let signals): signals.interruptRead()
        }
    }

    /// Closes input and output, and keeps the connection for another pair of characteristics.
    func closeChannels() {
        switch self.input {
        case .socket(let socket): socket.close()
        case .signals(let signals): signals.end(.closed)
        }
        if case .socket(let socket) = self.output { socket.close() }
    }

    func close() {
        self.closeChannels()
        self.monitor.post(self.device.path, BlueZInterface.device, "Disconnect")
        self.monitor.close()
    }
}

/// The queue of packets that arrive as D-Bus signals.
final class SignalInput: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var error: LinkError?
        /// Whether the next read returns `.interrupted`.
        var isInterrupted = false
    }

    /// The capacity of the queue in bytes; an overflow closes the link.
    private static let limit = 64 * 1024

    private let state = Locked(State())
    private let waiter = Waiter()

    func append(_ bytes: [UInt8]) {
        self.state.withLock { state in
            // After an error, nothing reads from the queue.
            guard state.error == nil else { return }
            state.bytes += bytes
            if state.bytes.count > Self.limit { state.error = state.error ?? .lost("the receive queue overflowed") }
        }
        self.waiter.notify()
    }

    func end(_ error: LinkError) {
        self.state.withLock { $0.error = $0.error ?? error }
        self.waiter.notify()
    }

    func interruptRead() {
        self.state.withLock { $0.isInterrupted = true }
        self.waiter.notify()
    }

    func read(until deadline: MonotonicTime) async throws(LinkError) -> LinkInput {
        while true {
            let (bytes, error, isInterrupted) = self.state.withLock { state in
                defer {
                    state.bytes = []
                    state.isInterrupted = false
                }
                return (state.bytes, state.error, state.isInterrupted)
            }
            if error == .closed { throw .closed }
            guard bytes.isEmpty else {
                if isInterrupted { self.interruptRead() }
                return .bytes(bytes)
            }
            if let error { throw error }
            if isInterrupted || Task.isCancelled { return .interrupted }
            if case .deadline = await EventLoop.shared.wait(until: deadline, self.waiter) { return .deadline }
        }
    }
}
