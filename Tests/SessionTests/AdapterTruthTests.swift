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
            .run(for: .seconds(90))
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
        let firstPoll = try #require(log.lines.firstIndex(of: "010D"))
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
        let late = log.samples.filter { $0.time.sinceBoot > .seconds(180) }
        #expect(Set(late.map(\.ecu)) == [DrivingTests.engine, DrivingTests.transmission])
    }

    @Test("What is known is not tried again after a loss, and trials that end the session are given up")
    func again() async throws {
        let rig = Rig { line, link in
            if line == "ATSH7E7" { link.inject(.disconnect, requests: 1) }
        }
        let log = try await rig.run(for: .seconds(200))
        #expect(log.lines.count { $0 == "01002" } == 2)
        #expect(log.lines.count { $0 == "ATSH7E7" } == 3)
        #expect(log.states.count { if case .connected = $0 { true } else { false } } == 4)
    }
}
