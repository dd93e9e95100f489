// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import EventLoop
import Testing

@testable import Simulator

@Suite("A link to an adapter in this process")
struct LinkTests {
    private let clock = ManualClock(now: MonotonicTime(sinceBoot: .seconds(100)))

    private func link() -> SimulatedLink {
        SimulatedLink(vehicle: SharedVehicle(SimulatedVehicle()), clock: self.clock)
    }

    private static func reply(_ link: SimulatedLink, until deadline: MonotonicTime) async throws -> String {
        var bytes: [UInt8] = []
        while bytes.last != UInt8(ascii: ">"), case .bytes(let more) = try await link.read(until: deadline) {
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("A request is answered at the time of the given clock")
    func request() async throws {
        let link = self.link()
        try await link.write(Array("ATZ\r".utf8))
        let reply = try await Self.reply(link, until: self.clock.now + .seconds(5))
        #expect(reply == "ATZ\r\r\rELM327 v1.5\r\r>")
        #expect(self.clock.now.sinceBoot == .milliseconds(100_501))
    }

    @Test("A read without input ends at its deadline, even a year ahead, at once")
    func deadline() async throws {
        let link = self.link()
        let deadline = self.clock.now + .seconds(31_536_000)
        #expect(try await link.read(until: deadline) == .deadline)
        #expect(self.clock.now == deadline)
    }

    @Test("A simulated day of requests takes little real time")
    func day() async throws {
        let link = self.link()
        var requests = 0
        let end = self.clock.now + .seconds(86_400)
        while self.clock.now < end {
            try await link.write(Array("010C\r".utf8))
            _ = try await Self.reply(link, until: self.clock.now + .seconds(20))
            _ = try await link.read(until: self.clock.now + .seconds(30))
            requests += 1
        }
        #expect(requests > 2000)
    }

    @Test("Any number of wakes end the next read only")
    func wake() async throws {
        let link = self.link()
        link.interruptRead()
        link.interruptRead()
        #expect(try await link.read(until: self.clock.now + .seconds(1)) == .interrupted)
        #expect(try await link.read(until: self.clock.now + .seconds(1)) == .deadline)
    }

    @Test("A wake ends a waiting read on the machine's own clock")
    func wakeWaiting() async throws {
        let clock = BootClock()
        let link = SimulatedLink(vehicle: SharedVehicle(SimulatedVehicle()), clock: clock)
        async let input = link.read(until: clock.now + .seconds(3600))
        link.interruptRead()
        #expect(try await input == .interrupted)
    }

    @Test("Closing ends a waiting read, and fails all later calls")
    func close() async throws {
        let clock = BootClock()
        let link = SimulatedLink(vehicle: SharedVehicle(SimulatedVehicle()), clock: clock)
        let reader = Task { try await link.read(until: clock.now + .seconds(3600)) }
        link.close()
        link.close()
        await #expect(throws: LinkError.closed) { try await reader.value }
        await #expect(throws: LinkError.closed) { try await link.write([0x0D]) }
    }

    @Test("A cancelled read ends")
    func cancel() async throws {
        let clock = BootClock()
        let link = SimulatedLink(vehicle: SharedVehicle(SimulatedVehicle()), clock: clock)
        let reader = Task { try await link.read(until: clock.now + .seconds(3600)) }
        reader.cancel()
        await #expect(throws: LinkError.closed) { try await reader.value }
    }

    @Test("Concurrent wakes and cancellations do not deadlock", .timeLimit(.minutes(10)))
    func wakesAndCancellations() async {
        let clock = BootClock()
        for _ in 0..<300 {
            let link = SimulatedLink(vehicle: SharedVehicle(SimulatedVehicle()), clock: clock)
            let deadline = clock.now + .seconds(3600)
            let reader = Task { while (try? await link.read(until: deadline)) != nil {} }
            let caller = Task { while !Task.isCancelled { link.interruptRead() } }
            for _ in 0..<8 { await Task.yield() }
            reader.cancel()
            await reader.value
            caller.cancel()
        }
    }

    @Test("After the adapter is unplugged, a read fails")
    func lost() async throws {
        let link = self.link()
        link.inject(.disconnect)
        try await link.write(Array("0100\r".utf8))
        await #expect(throws: LinkError.self) { try await link.read(until: self.clock.now + .seconds(1)) }
    }
}
