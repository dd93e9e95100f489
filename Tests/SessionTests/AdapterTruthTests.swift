// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import OBD2
import Session
import Simulator
import Testing

@Suite("What a session finds out about its adapter", .timeLimit(.minutes(10)))
struct AdapterTruthTests {
    /// The capabilities that do not work, by personality of the adapter; all others work.
    private static let flaws: [String: [Capability: Verdict]] = [
        "genuine-1.5": [.stn: .refused],
        "genuine-2.2": [.stn: .refused],
        "clone-1.5": [
            .stn: .refused, .linefeedsOff: .ignored, .adaptiveTiming: .ignored, .flowControl: .refused,
            .responseTimeout: .notTested("adaptive timing stays on"),
        ],
        "clone-2.1": [
            .stn: .refused, .echoOff: .ignored, .spacesOff: .refused, .protocolReport: .ignored,
            .adaptiveTiming: .ignored, .responseTimeout: .notTested("adaptive timing stays on"),
            .responseCount: .ignored, .multiplePIDs: .ignored,
            .flowControl: .refused, .receiveFilter: .refused, .filterReset: .notTested("AT CRA is refused"),
        ],
        "yes-man": [
            .stn: .refused, .spacesOff: .ignored, .adaptiveTiming: .ignored,
            .responseTimeout: .notTested("adaptive timing stays on"), .responseCount: .ignored,
            .flowControl: .ignored, .receiveFilter: .ignored, .physicalAddressing: .ignored,
        ],
        "stn": [:],
        "vlinker": [:],
        "wican": [.stn: .refused, .flowControl: .refused],
        "icar": [.stn: .refused, .reset: .refused, .linefeedsOff: .ignored],
    ]

    private static func run(_ name: String) async throws -> EventLog.Contents {
        var adapter = SimulatedAdapter.Options()
        try #require(Personality.named(name)).apply(to: &adapter)
        return try await Rig([0x0C: .milliseconds(500), 0x0D: .milliseconds(500)], adapter: adapter)
            .run(for: .seconds(300))
    }

    @Test("Each kind is seen through, whatever it says about itself", arguments: Personality.all.map(\.name))
    func personalities(name: String) async throws {
        let log = try await Self.run(name)
        let assessments = try #require(log.adapters.last?.assessments)
        let flaws = try #require(Self.flaws[name])
        for capability in Capability.allCases {
            #expect(assessments[capability]?.verdict == flaws[capability] ?? .works, "\(capability): \(assessments)")
        }
        #expect(log.adapters.count == 1)
        #expect(log.wrong.isEmpty)
    }

    @Test("Values come first, and the trials between them; what was set is set back")
    func order() async throws {
        let log = try await Self.run("genuine-1.5")
        let firstTrial = try #require(log.lines.firstIndex(of: "01002"))
        let firstPoll = try #require(log.lines.firstIndex { ["010C", "010D"].contains($0) })
        #expect(firstPoll < firstTrial)
        for (set, back) in [
            ("ATAT0", "ATAT1"), ("ATCRA7EF", "ATCRA"), ("ATSH7E7", "ATSH7DF"), ("ATFCSM1", "ATFCSM0"),
            ("ATST64", "ATST32"),
        ] {
            let lastSet = try #require(log.lines.lastIndex(of: set), "\(set)")
            let lastBack = try #require(log.lines.lastIndex(of: back), "\(back)")
            #expect(lastSet < lastBack, "\(set)")
        }
        // Both ECUs answer until the end. A filter or a header that stays set would prevent that.
        let late = log.samples.filter { $0.time.sinceBoot > .seconds(380) }
        #expect(Set(late.map(\.ecu)) == [DrivingTests.engine, DrivingTests.transmission])
    }

    @Test("In the first minute a link that is never idle has at least 95 % of its usual rate")
    func firstMinute() async throws {
        var pids = [0x04, 0x05, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x1F, 0x21, 0x2F].map { PID(rawValue: $0) }
        pids += [0x33, 0x42, 0x46]
        let intervals = pids.reduce(into: [:]) { $0[ParameterKey.pid($1)] = Duration.milliseconds(20) }
        let rig = Rig(intervals, link: LinkTiming.named("ble-30"))
        let log = try await rig.run(for: .seconds(600))
        let first = try #require(log.samples.first?.time)
        let times = log.samples.map { $0.time - first }
        let minute = times.count { .seconds(1) <= $0 && $0 < .seconds(60) }
        // All trials have been made by then.
        let usual = times.count { .seconds(480) <= $0 && $0 < .seconds(539) }
        #expect(minute * 100 >= usual * 95, "\(minute) instead of \(usual)")
        let gaps = zip(times, times.dropFirst()).filter { $0.0 < .seconds(60) }.map { $1 - $0 }
        #expect(try #require(gaps.max()) < .milliseconds(1500), "\(gaps.max() ?? .zero)")
        print("the first minute: \(minute) samples, \(minute * 100 / usual) % of the usual rate")
        // All trials have been made nevertheless.
        #expect(log.adapters.count == 1 && log.wrong.isEmpty)
    }

    @Test("What is known is not tried again after a loss, and trials that end the session are given up")
    func again() async throws {
        let rig = Rig { line, link in
            if line == "ATSH7E7" { link.inject(.disconnect, requests: 1) }
        }
        let log = try await rig.run(for: .seconds(500))
        #expect(log.lines.count { $0 == "01002" } == 2)
        #expect(log.lines.count { $0 == "ATSH7E7" } == 3)
        #expect(log.states.count { if case .connected = $0 { true } else { false } } == 4)
    }
}
