// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Glibc
import TestSupport
import Testing

@testable import AdapterLink

/// The channels of a simulated device.
private final class Channels: Sendable {
    /// The behavior of a channel after a connection attempt.
    enum Behavior: Sendable {
        case answers, isSilent, drops
        case fails(Int32)
    }

    private struct State {
        var tried: [UInt8] = []
        var others: [Int32] = []
    }

    private let behaviors: [UInt8: Behavior]
    private let state = Locked(State())

    init(_ behaviors: [UInt8: Behavior]) {
        self.behaviors = behaviors
    }

    deinit {
        for other in self.state.withLock({ $0.others }) { Glibc.close(other) }
    }

    var tried: [UInt8] { self.state.withLock { $0.tried } }

    /// Waits until the dialer keeps this number of channels open.
    ///
    /// A child process of another test may hold copies of the descriptors for a moment.
    func awaitOpenCount(_ count: Int) async throws {
        try await eventually("\(count) open channels") { self.openCount() == count }
    }

    private func openCount() -> Int {
        self.state.withLock { state in
            state.others.count { other in
                var byte: UInt8 = 0
                return unsafe recv(other, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) != 0
            }
        }
    }

    func connect(_ channel: UInt8) throws(RFCOMM.Failure) -> Int32 {
        self.state.withLock { $0.tried.append(channel) }
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw RFCOMM.Failure(errno) }
        switch self.behaviors[channel] ?? .fails(ECONNREFUSED) {
        case .answers:
            var prompt = UInt8(ascii: ">")
            unsafe write(ends[1], &prompt, 1)
            self.state.withLock { $0.others.append(ends[1]) }
        case .isSilent:
            self.state.withLock { $0.others.append(ends[1]) }
        case .drops:
            Glibc.close(ends[1])
        case .fails(let number):
            Glibc.close(ends[0])
            Glibc.close(ends[1])
            throw RFCOMM.Failure(number)
        }
        return ends[0]
    }
}

@Suite("Adapters of classic Bluetooth", .timeLimit(.minutes(10)))
struct RFCOMMDialerTests {
    private static let address = "AA:BB:CC:DD:EE:FF"

    private static func open(_ channels: Channels, announced: [UInt8] = []) async throws -> any AdapterLink {
        let address = try #require(BluetoothAddress(Self.address))
        let dialer = RFCOMMDialer(
            address,
            search: { _, _ in announced },
            connect: { _, channel, _ throws(RFCOMM.Failure) in try channels.connect(channel) },
            probe: { link in
                guard case .bytes? = try? await link.read(until: BootClock().now + .milliseconds(20)) else {
                    return false
                }
                return true
            }
        )
        return try await dialer.open(until: BootClock().now + .seconds(120))
    }

    @Test("A channel that connects and drops is skipped for a channel that answers")
    func drops() async throws {
        let channels = Channels([1: .drops, 2: .answers])
        let link = try await Self.open(channels, announced: [1, 2])
        #expect(link.address == "rfcomm:\(Self.address)")
        #expect(channels.tried == [1, 2])
        try await channels.awaitOpenCount(1)
        link.close()
        try await channels.awaitOpenCount(0)
    }

    @Test("Announced channels are tried first and once, then the usual channels")
    func order() async throws {
        let usual = Channels([1: .isSilent, 3: .answers])
        try await Self.open(usual).close()
        #expect(usual.tried == [1, 2, 3])
        let announced = Channels([3: .answers])
        try await Self.open(announced, announced: [17, 2]).close()
        #expect(announced.tried == [17, 2, 1, 3])
    }

    @Test("A device without an answer is no adapter; a device without a connection is unreachable")
    func noAnswer() async throws {
        let address = try #require(BluetoothAddress(Self.address))
        let silent = Channels([1: .isSilent, 2: .drops])
        await #expect(throws: BluetoothError.notAnAdapter(address)) { try await Self.open(silent) }
        try await silent.awaitOpenCount(0)
        let away = Channels([1: .fails(EHOSTDOWN), 2: .fails(EHOSTDOWN), 3: .fails(EHOSTDOWN)])
        await #expect(throws: BluetoothError.unreachable(address, "Host is down")) { try await Self.open(away) }
    }

    @Test("A kernel without Bluetooth is reported at once", arguments: [EAFNOSUPPORT, EPROTONOSUPPORT])
    func unsupported(number: Int32) async throws {
        let channels = Channels([1: .fails(number)])
        await #expect(throws: BluetoothError.noController) { try await Self.open(channels) }
        #expect(channels.tried == [1])
    }

    @Test("No channel is tried after the deadline or a cancellation")
    func late() async throws {
        let address = try #require(BluetoothAddress(Self.address))
        let channels = Channels([1: .answers])
        let dialer = RFCOMMDialer(
            address,
            search: { _, _ in [] },
            connect: { _, channel, _ throws(RFCOMM.Failure) in try channels.connect(channel) },
            probe: { _ in true }
        )
        await #expect(throws: BluetoothError.unreachable(address, "no channel")) { try await dialer.open(until: .zero) }
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await dialer.open(until: BootClock().now + .seconds(120)).close()
        }
        task.cancel()
        await #expect(throws: BluetoothError.unreachable(address, "no channel")) { try await task.value }
        #expect(channels.tried.isEmpty)
    }

    @Test(
        "The real implementation reports at once that this machine has no Bluetooth",
        .enabled(if: socket(31, 3, 1) < 0)
    )
    func real() async throws {
        let address = try #require(BluetoothAddress(Self.address))
        let dialer = RFCOMMDialer(address) { _ in true }
        await #expect(throws: BluetoothError.noController) {
            try await dialer.open(until: BootClock().now + .seconds(120))
        }
    }
}
