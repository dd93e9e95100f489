// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Simulator
import Synchronization
import Testing

@testable import ELM327
@testable import Session

@Suite("How many parameters go into a request, and what is made of the answer")
struct RequestPlannerTests {
    private static let engine = ECUAddress.can11(0x7E8)
    private static let gearbox = ECUAddress.can11(0x7E9)
    private static let now = MonotonicTime(sinceBoot: .seconds(1))
    /// The number of data bytes of each PID of the engine; the gearbox has the engine speed too.
    private static let lengths: [PID: Int] = [0x04: 1, 0x05: 1, 0x0B: 1, 0x0C: 2, 0x0D: 1, 0x0F: 1]

    private static func result(_ answers: [ECUAddress: [UInt8]], isMiscounted: Bool = false) -> BusResult {
        let outcome: BusOutcome = answers.isEmpty ? .noData : .answered(answers.mapValues { .positive([$0]) })
        return BusResult(outcome: outcome, dropped: 0, isMiscounted: isMiscounted)
    }

    /// Returns the ECUs' answers to a request for `pids`.
    private static func answers(_ pids: [PID], speed: UInt8 = 1) -> [ECUAddress: [UInt8]] {
        let engine = pids.flatMap { [$0.rawValue] + [UInt8](repeating: speed, count: Self.lengths[$0] ?? 0) }
        guard pids.contains(0x0C) else { return [Self.engine: [0x41] + engine] }
        return [Self.engine: [0x41] + engine, Self.gearbox: [0x41, 0x0C, 7, 7]]
    }

    /// Returns a planner that has received an answer to each PID alone.
    private static func planner() -> RequestPlanner {
        var planner = RequestPlanner(on: .can11at500)
        planner.abilities = RequestPlanner.Abilities(groups: true, counts: true)
        Self.hear(Array(Self.lengths.keys), &planner)
        return planner
    }

    private static func hear(_ pids: [PID], _ planner: inout RequestPlanner) {
        for pid in pids {
            let lengths = Self.answers([pid]).mapValues { $0.count - 2 }
            planner.answered(pid, lengths, Self.result(Self.answers([pid])))
        }
    }

    private static let all: [PID] = [0x04, 0x05, 0x0B, 0x0C, 0x0D, 0x0F]

    @Test("Nothing goes together before the adapter can, and each PID has been answered alone")
    func nothingAssumed() {
        var planner = RequestPlanner(on: .can11at500)
        #expect(planner.group(0x04, with: [0x05], at: Self.now) == [0x04])
        planner.abilities.groups = true
        #expect(planner.group(0x04, with: [0x05], at: Self.now) == [0x04])
        Self.hear([0x04], &planner)
        #expect(planner.group(0x04, with: [0x05], at: Self.now) == [0x04])
        Self.hear([0x05], &planner)
        #expect(planner.group(0x04, with: [0x05], at: Self.now) == [0x04, 0x05])
    }

    @Test("A PID goes together with others by the length of the standard, until a group is not answered so")
    func presumed() {
        var planner = RequestPlanner(on: .can11at500)
        planner.abilities.groups = true
        var engine = ECUIdentity()
        engine.supported = SupportedPIDs(Self.all)
        planner.presume(VehicleIdentity(bus: .can11at500, ecus: [Self.engine: engine]))
        let others = Array(Self.all.dropFirst())
        #expect(planner.group(0x04, with: others, at: Self.now) == Self.all && !planner.answers.knows(0x0C))
        var right = planner
        let message = Self.answers(Self.all)[Self.engine]
        #expect(right.answered(Self.all, Self.result([Self.engine: message ?? []]), at: Self.now).missing.isEmpty)
        #expect(right.answers.knows(0x0C) && right.group(0x04, with: others, at: Self.now) == Self.all)
        // This ECU has one byte more.
        let strange: [UInt8] = [0x41, 0x04, 1, 0x05, 1, 1]
        let answer = planner.answered([0x04, 0x05], Self.result([Self.engine: strange]), at: Self.now)
        #expect(answer.values.isEmpty && answer.missing == [0x04, 0x05])
        // That says nothing about the number of PIDs, but each has to be answered alone now, also by the standard.
        #expect(planner.limit.current == 6 && planner.group(0x0B, with: [0x0C], at: Self.now) == [0x0B])
        planner.presume(VehicleIdentity(bus: .can11at500, ecus: [Self.engine: engine]))
        #expect(planner.group(0x0B, with: [0x0C], at: Self.now) == [0x0B])
        Self.hear([0x0B, 0x0D], &planner)
        #expect(planner.group(0x0B, with: [0x0C, 0x0D], at: Self.now) == [0x0B, 0x0D])
    }

    @Test("Every value goes to its ECU, in whatever order it comes")
    func values() {
        var planner = Self.planner()
        let messages: [ECUAddress: [UInt8]] = [
            Self.gearbox: [0x41, 0x0C, 3, 4], Self.engine: [0x41, 0x0D, 9, 0x0C, 1, 2],
        ]
        let answer = planner.answered([0x0C, 0x0D], Self.result(messages), at: Self.now)
        #expect(answer.missing.isEmpty && answer.dropped == 0)
        #expect(
            answer.values == [
                .init(pid: 0x0C, ecu: Self.engine, data: [1, 2]), .init(pid: 0x0D, ecu: Self.engine, data: [9]),
                .init(pid: 0x0C, ecu: Self.gearbox, data: [3, 4]),
            ]
        )
    }

    @Test(
        "What is not exactly what was asked is no value, and asked alone",
        arguments: [
            // A PID is missing, repeated, of another length, not requested, or cut off, or the service is another.
            [0x41, 0x0C, 1, 2], [0x41, 0x0D, 9, 0x0D, 9], [0x41, 0x0C, 1, 0x0D, 9], [0x41, 0x0C, 1, 2, 0x05, 9],
            [0x41, 0x0C, 1, 2, 0x0D], [0x42, 0x0C, 1, 2, 0x0D, 9], [0x41],
        ] as [[UInt8]]
    )
    func inexact(message: [UInt8]) {
        var planner = Self.planner()
        let messages = [Self.engine: message, Self.gearbox: [0x41, 0x0C, 3, 4]]
        let answer = planner.answered([0x0C, 0x0D], Self.result(messages), at: Self.now)
        #expect(answer.values == [.init(pid: 0x0C, ecu: Self.gearbox, data: [3, 4])])
        #expect(answer.missing == [0x0C, 0x0D])
        #expect(planner.group(0x0D, with: [0x0C, 0x05], at: Self.now) == [0x0D])
        #expect(planner.group(0x04, with: [0x0C, 0x05], at: Self.now) == [0x04])
        // Each PID still answers alone, so the planner does not take it for unsupported.
        Self.hear([0x0C, 0x0D], &planner)
        #expect(planner.group(0x0D, with: [], at: Self.now) == [0x0D])
    }

    @Test("An ECU that answers the first two has a limit of two at once; one that is silent, of half")
    func limits() {
        var planner = Self.planner()
        _ = planner.answered(
            [0x04, 0x05, 0x0B, 0x0D],
            Self.result([Self.engine: [0x41, 0x04, 1, 0x05, 1]]),
            at: Self.now
        )
        #expect(planner.limit.current == 2)
        planner = Self.planner()
        _ = planner.answered(Self.all, Self.result([:]), at: Self.now)
        #expect(planner.limit.current == 3)
    }

    @Test("A limit rises by one after many successes, and after each refusal twice as many")
    func growth() {
        var limit = GroupLimit()
        limit.refused(6, taken: 2)
        var count = 0
        while limit.current == 2, count < 10_000 {
            limit.succeeded(2)
            count += 1
        }
        #expect(limit.current == 3 && count == 128)
        limit.refused(3)
        #expect(limit.current == 2)
        var again = 0
        while limit.current == 2, again < 10_000 {
            limit.succeeded(2)
            again += 1
        }
        #expect(again == 256)
    }

    @Test("A count is told after the same answer came three times, and never what was not seen")
    func count() {
        var planner = Self.planner()
        let pids: [PID] = [0x04, 0x0C, 0x0D]
        for _ in 0..<3 {
            #expect(planner.frameCount(of: pids) == nil)
            _ = planner.answered(pids, Self.result(Self.answers(pids)), at: Self.now)
        }
        // The engine's eight bytes take two frames, and the gearbox's answer takes one.
        #expect(planner.frameCount(of: pids) == 3)
        planner.abilities.counts = false
        #expect(planner.frameCount(of: pids) == nil)
    }

    @Test("A count is dropped at once when an answer is incomplete, or another ECU is heard")
    func countDropped() {
        let pids: [PID] = [0x04, 0x0C, 0x0D]
        var learned = Self.planner()
        for _ in 0..<3 { _ = learned.answered(pids, Self.result(Self.answers(pids)), at: Self.now) }
        for messages in [
            [Self.engine: [0x41, 0x04, 1, 0x0C, 1, 1, 0x0D, 1]],
            Self.answers(pids).merging([.can11(0x7EA): [0x41, 0x0D, 1]]) { first, _ in first },
        ] as [[ECUAddress: [UInt8]]] {
            var planner = learned
            _ = planner.answered(pids, Self.result(messages), at: Self.now)
            #expect(planner.frameCount(of: pids) == nil)
        }
        var planner = learned
        _ = planner.answered(pids, Self.result(Self.answers(pids), isMiscounted: true), at: Self.now)
        #expect(planner.frameCount(of: pids) == nil)
    }

    @Test("Now and then there is a request without a count")
    func exploration() {
        var planner = Self.planner()
        let pids: [PID] = [0x04, 0x05]
        var without = 0
        for _ in 0..<1000 {
            if planner.frameCount(of: pids) == nil { without += 1 }
            _ = planner.answered(pids, Self.result(Self.answers(pids)), at: Self.now)
        }
        #expect((10...20).contains(without))
    }

    @Test("One PID less goes into a request where that spares a packet that costs much")
    func costs() {
        var planner = Self.planner()
        let group = planner.group(0x04, with: Array(Self.all.dropFirst()), at: Self.now)
        // The first request of a planner is as large as possible.
        #expect(group.count == 6)
        _ = planner.answered(Self.all, Self.result(Self.answers(Self.all)), at: Self.now)
        // Each packet of the answer takes 100 ms, as on a link with one packet per connection event.
        for count in 1...6 {
            let pids = Array(Self.all.prefix(count))
            let expectation = planner.answers.expectation(of: pids)
            let packets = (planner.answers.printedLength(of: expectation) + 19) / 20
            for _ in 0..<3 { planner.requestEnded(after: .milliseconds(100 * (packets + 1)), pids) }
        }
        let next = planner.group(0x04, with: Array(Self.all.dropFirst()), at: Self.now)
        func rate(_ pids: [PID]) -> Double {
            let expectation = planner.answers.expectation(of: pids)
            return Double(pids.count) / Double((planner.answers.printedLength(of: expectation) + 19) / 20 + 1)
        }
        let best = (1...6).map { rate(Array(Self.all.prefix($0))) }.max()
        #expect(rate(next) == best && next.count < 6)
    }

    @Test(
        "A car that takes fewer PIDs, or answers the first, loses no value",
        arguments: [.silence(above: 2), .first(3), .first(1), .silence(above: 4)] as [PIDLimit]
    )
    func cars(limit: PIDLimit) async throws {
        var vehicle = SimulatedVehicle.Options()
        vehicle.pidLimit = limit
        let intervals = Self.all.reduce(into: [:]) { $0[ParameterKey.pid($1)] = Duration.milliseconds(500) }
        let log = try await Rig(intervals, vehicle: vehicle).run(for: .seconds(120))
        #expect(log.wrong.isEmpty)
        let settled = log.samples.filter { $0.time.sinceBoot > .seconds(160) && $0.ecu == Self.engine }
        let counts = settled.reduce(into: [:]) { $0[$1.value.field.name, default: 0] += 1 }
        // Each parameter is read twice a second for a minute.
        #expect(counts.count == 6 && counts.values.allSatisfy { (110...125).contains($0) }, "\(counts)")
    }

    @Test("What a car was found to take is known after the link was lost, and not tried again")
    func remembered() async throws {
        var vehicle = SimulatedVehicle.Options()
        vehicle.pidLimit = .silence(above: 2)
        let intervals = Self.all.reduce(into: [:]) { $0[ParameterKey.pid($1)] = Duration.milliseconds(500) }
        let count = Mutex(0)
        let rig = Rig(intervals, vehicle: vehicle) { _, link in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 250 { link.close() }
        }
        let log = try await rig.run(for: .seconds(100))
        #expect(log.wrong.isEmpty)
        // A line has the service, the PIDs, and possibly one digit for the frame count.
        func sizes(_ lines: some Sequence<String>) -> Set<Int> {
            Set(lines.filter { $0.hasPrefix("01") && $0.allSatisfy(\.isHexDigit) }.map { ($0.count - 2) / 2 })
        }
        #expect(sizes(log.lines.prefix(250)).contains { $0 > 2 })
        // Only after many successes one more is tried.
        #expect(sizes(log.lines.dropFirst(250).prefix(100)) == [1, 2])
        #expect(log.states.filter { if case .connected = $0 { true } else { false } }.count == 2)
    }
}
