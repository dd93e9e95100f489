// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Session
import Simulator
import Testing

@Suite("Bytes that somebody asks by himself", .timeLimit(.minutes(10)))
struct RawTests {
    private static func request(_ payload: UInt8...) throws -> RawRequest { try RawRequest(payload: payload, to: nil) }

    @Test("Nothing is polled while somebody holds the bus, and polling comes back by itself")
    func hold() async throws {
        let rig = Rig([0x0C: .milliseconds(500)])
        let log = try await rig.run {
            await rig.firstSamples()
            let request = try Self.request(0x09, 0x0A)
            let outcome = try await rig.session.withBus { lease throws(SessionError) in
                let outcome = try await lease.send(request, to: nil)
                await lease.hold(.seconds(30))
                return outcome
            }
            guard case .answered(let answers) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(answers.count == 2)
            let start = rig.clock.now
            for await event in rig.events where rig.clock.now > start { if case .samples = event { break } }
        }
        let asked = try #require(log.lines.lastIndex(of: "090A"))
        let gaps = zip(log.samples, log.samples.dropFirst()).map { $1.time - $0.time }
        #expect(gaps.contains { $0 >= .seconds(30) && $0 < .seconds(32) })
        #expect(log.lines[asked...].contains("010C") && log.wrong.isEmpty)
    }

    @Test("A hold ends at once where somebody says so")
    func release() async throws {
        let rig = Rig([0x0C: .milliseconds(500)])
        let log = try await rig.run {
            await rig.firstSamples()
            try await rig.session.withBus { lease throws(SessionError) in
                await lease.hold(.seconds(300))
                await lease.hold(.zero)
            }
            let start = rig.clock.now
            for await event in rig.events where rig.clock.now > start { if case .samples = event { break } }
        }
        #expect(zip(log.samples, log.samples.dropFirst()).allSatisfy { $1.time - $0.time < .seconds(5) })
    }

    @Test("One ECU is asked alone, and everybody is proved to be asked again before the next poll")
    func addressed() async throws {
        let rig = Rig([0x0C: .milliseconds(500)])
        let log = try await rig.run {
            await rig.firstSamples()
            let request = try Self.request(0x01, 0x05)
            let destination = Destination(header: .can11(0x7E1))
            let outcome = try await rig.session.withBus { lease throws(SessionError) in
                try await lease.send(request, to: destination)
            }
            if case .answered(let answers) = outcome { #expect(Set(answers.keys) == [.can11(0x7E9)]) }
            let start = rig.clock.now
            for await event in rig.events where rig.clock.now > start { if case .samples = event { break } }
        }
        let turned = try #require(log.lines.lastIndex(of: "ATSH7E1"))
        let back = try #require(log.lines.lastIndex(of: "ATSH7DF"))
        #expect(log.lines[turned + 1] == "0105" && back > turned)
        #expect(log.wrong.isEmpty)
    }

    @Test("What writes is sent once, right after the adapter has proved that nothing else is on its way")
    func once() async throws {
        let rig = Rig([0x0C: .milliseconds(500)])
        let log = try await rig.run {
            await rig.firstSamples()
            let request = try Self.request(0x2E, 0xF1, 0x90, 0x01)
            _ = try await rig.session.withBus { lease throws(SessionError) in try await lease.send(request, to: nil) }
        }
        #expect(log.lines.count { $0 == "2EF19001" } == 1)
    }
}
