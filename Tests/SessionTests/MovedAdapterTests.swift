// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import ELM327
import OBD2
import Simulator
import Synchronization
import Testing

@testable import Session

/// Tests in which the link stays open while the adapter moves to another vehicle.
@Suite("An adapter that is moved over a link that survives it", .timeLimit(.minutes(10)))
struct MovedAdapterTests {
    private static let second = "ZZZSMVLATR4700894"
    private static let clear = Request(service: .clearCodes, data: [])

    /// Puts another vehicle behind the adapter.
    private static func swap(
        _ link: SimulatedLink,
        at now: MonotonicTime,
        _ change: (inout SimulatedVehicle.Options) -> Void
    ) {
        link.vehicle.withVehicle { vehicle in
            var options = vehicle.options
            (options.vin, options.seed) = (Self.second, options.seed + 1)
            change(&options)
            vehicle = SimulatedVehicle(options, startedAt: now)
        }
    }

    private static func standing() -> SimulatedVehicle.Options {
        var options = SimulatedVehicle.Options()
        (options.trip, options.pause) = (.seconds(1), .seconds(36_000))
        return options
    }

    @Test("A request that writes is preceded by the proof, and nothing but what it takes itself comes between")
    func order() async throws {
        let rig = Rig(vehicle: Self.standing())
        let log = try await rig.run {
            await rig.firstCodes()
            _ = try await rig.session.withBus { lease throws(SessionError) in try await lease.ask(Self.clear) }
            let write = try #require(try? RawRequest(payload: [0x2E, 0xF1, 0x90, 0x01], to: nil))
            for _ in 0..<2 {
                _ = try await rig.session.withBus { lease throws(SessionError) in
                    guard try await lease.proveVehicle() == .same else { throw .vehicleUnproven }
                    return try await lease.send(write, to: nil)
                }
            }
        }
        for line in ["04", "2EF19001"] {
            for place in log.lines.indices where log.lines[place] == line {
                let before = log.lines[..<place].suffix(3)
                #expect(before == ["0902", "ATI", "ATSTFF"], "\(line): \(before)")
            }
        }
        #expect(log.lines.count { $0 == "2EF19001" } == 2 && log.lines.count { $0 == "04" } == 1)
        #expect(rig.log.vehicle.withVehicle { $0.writes.count } == 3)
    }

    @Test("A request that comes too late after the proof is not sent, and is sent after another proof")
    func late() async throws {
        let clock = Mutex<ManualClock?>(nil)
        let delays = Mutex(1)
        let rig = Rig(vehicle: Self.standing()) { line, _ in
            // The computer or the link causes a delay after the proof.
            guard line == "ATSTFF", let clock = clock.withLock({ $0 }) else { return }
            let isLate = delays.withLock { count in
                count -= 1
                return count >= 0
            }
            if isLate { clock.advance(by: .seconds(1)) }
        }
        let log = try await rig.run {
            await rig.firstCodes()
            clock.withLock { $0 = rig.clock }
            _ = try await rig.session.withBus { lease throws(SessionError) in try await lease.ask(Self.clear) }
            delays.withLock { $0 = 2 }
            await #expect(throws: SessionError.vehicleUnproven) {
                try await rig.session.withBus { lease throws(SessionError) in try await lease.ask(Self.clear) }
            }
        }
        // The first lease was late once, and then sent its request. The second was late twice, and sent none.
        #expect(log.lines.count { $0 == "04" } == 1)
        #expect(rig.log.vehicle.withVehicle { $0.writes } == [[0x04]])
    }

    @Test("The vehicle that comes behind the adapter between proof and write is asked nothing before it is identified")
    func moved() async throws {
        let clock = Mutex<ManualClock?>(nil)
        let rig = Rig(vehicle: Self.standing()) { line, link in
            // The vehicle changes after the proof, within the time that moving the adapter takes.
            guard line == "ATSTFF", let clock = clock.withLock({ $0.take() }) else { return }
            clock.advance(by: .seconds(1))
            Self.swap(link, at: clock.now) { _ in }
        }
        let log = try await rig.run {
            await rig.firstCodes()
            clock.withLock { $0 = rig.clock }
            await #expect(throws: SessionError.vehicleUnproven) {
                try await rig.session.withBus { lease throws(SessionError) in try await lease.ask(Self.clear) }
            }
            for await event in rig.events { if case .identified(let found) = event, found.isMapped { break } }
        }
        #expect(!log.lines.contains("04"))
        #expect(rig.log.vehicle.withVehicle { $0.writes.isEmpty })
        #expect(log.identities.first?.vin?.description != Self.second)
        #expect(log.identities.last?.vin?.description == Self.second)
        #expect(log.states.contains { if case .waiting(.vehicleChanged, _) = $0 { true } else { false } })
    }

    @Test(
        "A write is sent once, whatever the adapter does with it",
        arguments: [
            .silence, .lowVoltageReset, .disconnect, .promptMissing, .noData, .stopped, .garbage, .truncated,
            .negative(0x21), .negative(0x78), .slowBytes,
        ] as [InjectedFault]
    )
    func once(fault: InjectedFault) async throws {
        let rig = Rig(vehicle: Self.standing()) { line, link in
            if line == "04" { link.inject(fault, requests: fault == .silence ? 10 : 1) }
        }
        let log = try await rig.run {
            await rig.firstCodes()
            _ = try? await rig.session.withBus { lease throws(SessionError) in try await lease.ask(Self.clear) }
            await rig.firstSamples()
            for _ in 0..<50 { await rig.firstSamples() }
        }
        #expect(log.lines.count { $0 == "04" } == 1)
        #expect(rig.log.vehicle.withVehicle { $0.writes.count } <= 1)
    }

    /// Returns the time from a swap to the identification of the other vehicle, and the number of samples in between.
    private static func found(
        _ intervals: [ParameterKey: Duration],
        silence: Duration = .zero,
        _ change: @escaping @Sendable (inout SimulatedVehicle.Options) -> Void = { _ in }
    ) async throws -> (delay: Duration, samples: Int) {
        let clock = Mutex<ManualClock?>(nil)
        let moved = Mutex<(start: MonotonicTime, isOver: Bool)?>(nil)
        let rig = Rig(intervals) { line, link in
            guard let clock = clock.withLock({ $0 }) else { return }
            let start = moved.withLock { moved in
                if moved == nil {
                    moved = (clock.now, false)
                    link.vehicle.withVehicle { $0.isParked = true }
                }
                guard let (start, isOver) = moved, !isOver, clock.now - start >= silence else {
                    return MonotonicTime?.none
                }
                moved = (start, true)
                return start
            }
            if start != nil { Self.swap(link, at: clock.now - .seconds(20), change) }
        }
        let log = try await rig.run {
            await rig.firstCodes()
            for _ in 0..<100 { await rig.firstSamples() }
            clock.withLock { $0 = rig.clock }
            for await event in rig.events {
                if case .identified(let found) = event, found.vin?.description == Self.second { break }
            }
        }
        let start = try #require(moved.withLock { $0?.start })
        return (rig.clock.now - start, log.samples.count { $0.time > start + silence })
    }

    @Test("Another vehicle is found where a poll falls into the move, before any value of it is told")
    func silent() async throws {
        let (delay, samples) = try await Self.found(
            [0x0C: .milliseconds(500), 0x05: .seconds(1)],
            silence: .seconds(1)
        )
        // The session asks a vehicle that fell silent again after 20 s.
        #expect(samples == 0 && delay < .seconds(30), "\(delay), \(samples) samples")
    }

    @Test("Another vehicle is found within 75 seconds where no poll falls into the move")
    func unseen() async throws {
        let (delay, _) = try await Self.found([0x0C: .seconds(5)])
        #expect(delay > .seconds(5) && delay < .seconds(75), "\(delay)")
    }

    @Test("Another ECU, and a counter that goes back, are signs of a move", arguments: [true, false])
    func signs(isECU: Bool) async throws {
        let (delay, _) = try await Self.found([0x0C: .seconds(5), 0x1F: .seconds(5)]) { options in
            if isECU { options.ecus = 3 }
        }
        #expect(delay < .seconds(20), "\(delay)")
    }

    @Test("The proof costs less than a hundredth of the link", arguments: ["ble-30", "spp", "wifi"])
    func cost(name: String) async throws {
        let link = try #require(LinkTiming.named(name))
        let spent = Mutex((asked: MonotonicTime?.none, sum: Duration.zero, count: 0))
        let clock = Mutex<ManualClock?>(nil)
        let rig = Rig([0x0C: .milliseconds(50), 0x0D: .milliseconds(50)], link: link) { line, _ in
            guard let now = clock.withLock({ $0?.now }), now.sinceBoot > .seconds(160) else { return }
            spent.withLock { spent in
                if let asked = spent.asked { (spent.sum, spent.count) = (spent.sum + (now - asked), spent.count + 1) }
                spent.asked = line == "0902" ? now : nil
            }
        }
        clock.withLock { $0 = rig.clock }
        // The first minute does not count: the session then identifies the vehicle and tests the adapter.
        try await rig.run(for: .seconds(660))
        let (_, sum, count) = spent.withLock { $0 }
        #expect(count >= 9 && sum < .seconds(6), "\(count) proofs took \(sum)")
    }

    @Test("A vehicle whose VIN is asked again: the same, another one, or nothing that can be read")
    func proof() throws {
        let (a, b) = (try #require(VIN("ZZZSMVLATR4700893")), try #require(VIN(Self.second)))
        var identity = VehicleIdentity(bus: .can11at500, ecus: [:])
        let (engine, gearbox) = (ECUAddress.can11(0x7E8), ECUAddress.can11(0x7E9))
        identity.ecus[engine] = ECUIdentity()
        identity.ecus[gearbox] = ECUIdentity()
        identity.ecus[engine]?.vin = a
        // This ECU was taken from the other vehicle.
        identity.ecus[gearbox]?.vin = b
        func proof(_ vins: [ECUAddress: VIN]) -> VehicleProof {
            let answers = vins.mapValues { ECUReply.positive([[0x49, 0x02, 0x01] + Array($0.description.utf8)]) }
            return identity.proof(by: BusResult(outcome: answers.isEmpty ? .noData : .answered(answers), dropped: 0))
        }
        #expect(proof([engine: a, gearbox: b]) == .same && proof([engine: a]) == .same)
        #expect(proof([engine: b, gearbox: b]) == .other && proof([engine: b]) == .other)
        #expect(proof([:]) == .unreadable)
    }
}
