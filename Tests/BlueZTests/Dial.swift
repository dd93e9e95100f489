// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import EventLoop
import Systemd
import TestSupport
import Testing

/// The dialer and the probe of these tests.
enum Dial {
    /// Shorter time limits than in use, but longer than any machine needs.
    static let limits: BLETimeLimits = {
        var limits = BLETimeLimits()
        limits.controller = .milliseconds(100)
        limits.scan = .milliseconds(50)
        limits.pause = .milliseconds(1)
        return limits
    }()

    static var soon: MonotonicTime { BootClock().now + .seconds(30) }

    /// Creates a dialer for the stand-in.
    ///
    /// - Parameter silent: the number of probes at the beginning that may get no answer, and so wait only briefly.
    static func dialer(
        _ standIn: BlueZStandIn,
        _ target: BLETarget = BLETarget(),
        limits: BLETimeLimits = Self.limits,
        silent: Int = 0
    ) -> BLEDialer {
        let probes = Locked(0)
        return BLEDialer(target, bus: .bus(standIn.bus.address), limits: limits) { link in
            let number = probes.withLock { probes in
                probes += 1
                return probes
            }
            return await Self.isAdapter(link, for: .seconds(number <= silent ? 2 : 20))
        }
    }

    static func isAdapter(_ link: any AdapterLink, for time: Duration) async -> Bool {
        ((try? await Self.ask(link, "ATI", for: time)) ?? "").contains("ELM327")
    }

    static func open(_ standIn: BlueZStandIn, _ target: BLETarget = BLETarget()) async throws -> any AdapterLink {
        try await Self.dialer(standIn, target).open(last: nil, until: Self.soon).link
    }

    /// Returns the adapter's answer up to its prompt, or the part that arrived in time.
    static func ask(_ link: any AdapterLink, _ line: String, for time: Duration = .seconds(20)) async throws -> String {
        try await link.write(Array("\(line)\r".utf8))
        var bytes: [UInt8] = []
        let deadline = BootClock().now + time
        while bytes.last != UInt8(ascii: ">"), case .bytes(let more) = try await link.read(until: deadline) {
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func address(_ device: StandInDevice) throws -> BluetoothAddress {
        try #require(BluetoothAddress(device.address))
    }

    /// Expects that no link opens, and returns the error.
    static func failure(
        _ standIn: BlueZStandIn,
        _ target: BLETarget = BLETarget(),
        limits: BLETimeLimits = Self.limits,
        silent: Int = 0,
        within time: Duration = .seconds(30),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> BluetoothError? {
        await #expect(throws: BluetoothError.self, sourceLocation: sourceLocation) {
            let dialer = Self.dialer(standIn, target, limits: limits, silent: silent)
            try await dialer.open(last: nil, until: BootClock().now + time).link.close()
        }
    }
}
