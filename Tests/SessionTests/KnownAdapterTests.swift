// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ELM327
import Testing

@testable import Session

@Suite("The facts about an adapter that outlive a process")
struct KnownAdapterTests {
    private static let ecus: [ECUAddress: [[UInt8]]] = [
        .can11(0x7E8): [[0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11]], .can29(0x10): [[0x41, 0x00, 0, 0, 0, 1]],
        .can29Identifier(0x18DA_F1FF): [[0x41], [0x42, 0xFF]], .legacy(0x10): [[0x41, 0x00]], .j1939(0): [[0xFE]],
    ]

    private static var report: AdapterReport {
        var report = AdapterReport()
        (report.identity, report.bus, report.voltage) = ("ELM327 v1.5 \u{e9}", .can29at250, 14.2)
        (report.ecus, report.unsupported) = (Self.ecus, ["ATAR"])
        report.assessments = [
            .headers: Assessment(.works, note: "a note"), .reset: Assessment(.ignored), .voltage: Assessment(.refused),
        ]
        return report
    }

    private static var assessed: AdapterReport {
        var report = Self.report
        let name = Assessment.Evidence(request: "STI", outcome: .reply(["STN1110 v4.2"]), duration: .milliseconds(9))
        report.assessments[.stn] = Assessment(.works, [name])
        report.assessments[.flowControl] = Assessment(.notTested("the bus is not CAN"))
        return report
    }

    @Test("They are the same after they were written and read, without what passes", arguments: [false, true])
    func roundTrip(isAssessed: Bool) throws {
        let known = KnownAdapter(Self.report, assessed: isAssessed ? Self.assessed : nil, earlier: nil)
        let json = try JSON(parsing: Array(known.json.text.utf8), depthLimit: 8)
        let read = try #require(KnownAdapter(json))
        #expect(read.report.ecus == Self.ecus && read.report.voltage == nil && read.isAssessed == isAssessed)
        #expect(read.report.works(.headers) && read.report.firmware == (isAssessed ? "STN1110 v4.2" : nil))
        #expect(read.report.assessments.mapValues(\.verdict) == known.report.assessments.mapValues(\.verdict))
        #expect(read.report.unsupported == ["ATAR"] && read.report.bus == .can29at250)
        #expect(read.json == known.json)
    }

    @Test("A trial that has failed once is repeated by the next process, and is believed the second time")
    func failedOnce() throws {
        var trials = Self.assessed
        trials.assessments[.multiplePIDs] = Assessment(.ignored)
        let first = KnownAdapter(Self.report, assessed: trials, earlier: nil)
        // What start-up has found is found anew by each.
        #expect(first.doubtful == [.multiplePIDs, .reset])
        #expect(first.assessed?.assessments[.multiplePIDs] == nil && first.assessed?.works(.stn) == true)
        #expect(first.report.assessments[.voltage] == nil)
        let read = try #require(KnownAdapter(first.json))
        let second = KnownAdapter(Self.report, assessed: trials, earlier: read)
        #expect(second.doubtful.isEmpty && second.assessed?.assessments[.multiplePIDs]?.verdict == .ignored)
        trials.assessments[.multiplePIDs] = Assessment(.works)
        #expect(KnownAdapter(Self.report, assessed: trials, earlier: read).assessed?.works(.multiplePIDs) == true)
    }

    @Test("What is damaged, or of another version, is nothing")
    func damage() throws {
        let whole = KnownAdapter(Self.report, assessed: Self.assessed, earlier: nil).json
        let members = Dictionary(whole.members) { $1 }
        let wrong: [(String, JSON)] = [
            ("v", 2), ("v", .null), ("name", 1), ("bus", 0), ("bus", 300), ("bus", -1), ("assessed", "yes"),
            ("ecus", [["kind": "can12", "address": 1, "messages": ["41"]]]),
            ("ecus", [["kind": "can11", "address": 70000, "messages": ["41"]]]),
            ("ecus", [["kind": "can29", "address": 256, "messages": ["41"]]]),
            ("ecus", [["kind": "can11", "address": 1, "messages": ["4"]]]),
            ("ecus", [["kind": "can11", "address": 1, "messages": [1]]]), ("ecus", [["kind": "can11", "address": 1]]),
            ("capabilities", ["headers": "perhaps"]),
        ]
        for (name, value) in wrong {
            #expect(KnownAdapter(.object(members.merging([name: value]) { $1 })) == nil, "\(name): \(value)")
        }
        for value in [.null, 1, [], "x"] as [JSON] { #expect(KnownAdapter(value) == nil) }
        let newer = members.merging(["capabilities": ["telepathy": "works"], "x": 1]) { $1 }
        #expect(KnownAdapter(.object(newer))?.report.assessments.isEmpty == true)
    }
}
