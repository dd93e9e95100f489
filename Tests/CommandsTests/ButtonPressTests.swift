// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Simulator
import Synchronization
import Testing

@testable import Commands

@Suite("A press of a button")
struct ButtonPressTests {
    private static func press(
        _ topic: String = "obd/van/commands/read_codes",
        _ payload: [UInt8] = [],
        retain: Bool = false
    ) throws -> Message {
        Message(topic: try Topic(topic), payload: payload, retain: retain)
    }

    @Test("It reads the codes, whatever its payload", arguments: ["", "ON", "{", "\u{0}\u{FFFD}", "a.b.c"])
    func reads(payload: String) async throws {
        let bench = Bench()
        let executor = bench.executor(unsignedRole: .observer, buttons: ["read_codes"])
        await executor.receive(try Self.press("obd/van/commands/read_codes", Array(payload.utf8)))
        #expect(bench.states == [.accepted, .succeeded])
        #expect(bench.last?.command == "read_codes" && bench.last?.id?.hasPrefix("button-") == true)
        #expect(CommandEnvelope.isID(bench.last?.id ?? ""))
        #expect(bench.vehicle.asked.map(\.request) == ["codes"])
    }

    @Test("It wakes the vehicle for a while, where unsigned commands may do so")
    func wakes() async throws {
        let bench = Bench()
        await bench.executor(unsignedRole: .specialist, buttons: ["wake"]).receive(
            try Self.press("obd/van/commands/wake")
        )
        #expect(bench.states == [.accepted, .succeeded] && bench.last?.command == "wake")
        #expect(bench.vehicle.asked.map(\.request) == ["wake 300.0"])
        let other = Bench()
        await other.executor(unsignedRole: .observer, buttons: ["wake"]).receive(
            try Self.press("obd/van/commands/wake")
        )
        #expect(other.last?.reason == .unsigned && other.vehicle.asked.isEmpty)
    }

    @Test("Two presses are two commands, with ids of their own")
    func twice() async throws {
        let bench = Bench()
        let executor = bench.executor(buttons: ["read_codes"])
        for _ in 1...2 { await executor.receive(try Self.press()) }
        #expect(bench.states == [.accepted, .succeeded, .accepted, .succeeded])
        #expect(Set(bench.responses.withLock { $0.map(\.id) }).count == 2)
    }

    @Test(
        "Without the key, or for another command, nothing runs",
        arguments: ["read_codes", "clear_codes", "wake", "x"]
    )
    func notConfigured(name: String) async throws {
        let bench = Bench()
        await bench.executor().receive(try Self.press("obd/van/commands/\(name)"))
        // A name in the configuration is not enough for what writes.
        let careless = bench.executor(buttons: ["clear_codes", "x"])
        await careless.receive(try Self.press("obd/van/commands/\(name)"))
        #expect(bench.states == [.refused, .refused] && bench.last?.reason == .notAllowed)
        #expect(bench.vehicle.asked.isEmpty && bench.complaints.withLock { $0 } == 2)
    }

    @Test("The rules of unsigned commands hold")
    func unsigned() async throws {
        let none = Bench()
        await none.executor(unsignedRole: nil, buttons: ["read_codes"]).receive(try Self.press())
        #expect(none.last?.reason == .unsigned && none.vehicle.asked.isEmpty)
        let other = Bench()
        await other.executor(allowed: ["describe"], buttons: ["read_codes"]).receive(try Self.press())
        #expect(other.last?.reason == .notAllowed && other.vehicle.asked.isEmpty)
    }

    @Test("A retained press, one for another vehicle, and one of more than 1024 bytes are refused")
    func refused() async throws {
        for (message, reason) in [
            (try Self.press(retain: true), CommandResponse.Reason.retained),
            (try Self.press("obd/lorry/commands/read_codes"), .wrongVehicle),
            (try Self.press("obd/van/commands/read_codes", Array(repeating: 0x78, count: 1025)), .malformed),
        ] {
            let bench = Bench()
            await bench.executor(buttons: ["read_codes"]).receive(message)
            #expect(bench.states == [.refused] && bench.last?.reason == reason)
            #expect(bench.vehicle.asked.isEmpty)
        }
    }

    @Test("A switch that bounces reads three times, and then once in 20 seconds")
    func bouncing() async throws {
        let bench = Bench()
        let executor = bench.executor(buttons: ["read_codes"])
        for _ in 1...50 { await executor.receive(try Self.press()) }
        #expect(bench.vehicle.asked.count == 3)
        #expect(bench.last?.reason == .rateLimited && bench.last?.retryAfter == 20)
        bench.clock.clock.advance(by: .seconds(20))
        for _ in 1...50 { await executor.receive(try Self.press()) }
        #expect(bench.vehicle.asked.count == 4)
    }

    @Test("The topic of complete commands is no press")
    func topics() throws {
        #expect(ButtonPress(try Topic("obd/van/commands")) == nil)
        #expect(ButtonPress(try Topic("obd/van/commands/read_codes"))?.name == "read_codes")
    }
}
