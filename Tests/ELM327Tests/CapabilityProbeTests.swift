// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ELM327

@Suite("Testing an adapter's capabilities")
struct CapabilityProbeTests {
    private static let engine = ECUAddress.can11(0x7E8)
    private static let vehicle = ProbedVehicle(
        primary: Self.engine,
        pids: [(0x0C, 2), (0x0D, 1)],
        hasVIN: true,
        hasVoltage: true
    )

    private static var report: AdapterReport {
        var report = AdapterReport()
        report.identity = "ELM327 v1.5"
        report.voltage = 12.6
        report.ecus = [
            Self.engine: [[0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11]], .can11(0x7E9): [[0x41, 0x00, 0x80, 0, 0, 0]],
        ]
        return report
    }

    private static let both: Answer = "7E8064100BE3EB811\r7E906410080000000\r\r>"
    private static let vin =
        "7E81014490201314434\r7E82147503030523535\r7E82242313233343536\r\r>"

    private static func delayed(_ milliseconds: Int, _ text: String) -> Answer {
        Answer([(.milliseconds(milliseconds), text)])
    }

    /// The script of a flawless adapter for each capability, because one script for all trials would need state.
    private static func script(_ changes: [String: [Answer]] = [:]) -> [String: [Answer]] {
        [
            "0100": [Self.both], "0902": [Answer(stringLiteral: Self.vin)], "ATRV": ["12.6V\r\r>"],
            "0142": ["7E804414230D4\r\r>"], "010C0D": ["7E806410C1AF80D20\r\r>"],
        ].merging(changes) { $1 }
    }

    private struct Result {
        var report: AdapterReport
        var sent: [String]
        var end: CapabilityProbe.Step?

        func verdict(_ capability: Capability) -> Verdict? { self.report.assessments[capability]?.verdict }
    }

    /// Runs the trial of `capability` alone.
    private static func run(_ capability: Capability, _ changes: [String: [Answer]] = [:]) -> Result {
        let others = Capability.allCases.filter { $0 != capability }
        let known = Dictionary(uniqueKeysWithValues: others.map { ($0, Assessment(.works)) })
        var probe = CapabilityProbe(Self.report, Self.vehicle, known: known)
        var bench = Bench(Self.script(changes))
        let end = bench.run(&probe)
        return Result(report: probe.report, sent: bench.sent, end: end)
    }

    @Test("The digit is the number of frames, and works if the same answer arrives faster")
    func responseCount() {
        let slow = Self.delayed(200, "7E8064100BE3EB811\r7E906410080000000\r\r>")
        let result = Self.run(.responseCount, ["0100": [slow]])
        #expect(result.sent == ["0100", "01002", "0100", "01002"])
        // The script answers unknown lines with OK.
        #expect(result.verdict(.responseCount) == .ignored)
        let fast = Self.run(.responseCount, ["0100": [slow], "01002": [Self.both]])
        #expect(fast.verdict(.responseCount) == .works && fast.end == .finished)
        #expect(Self.run(.responseCount, ["0100": [slow], "01002": [slow]]).verdict(.responseCount) == .ignored)
        #expect(Self.run(.responseCount, ["0100": [slow], "01002": ["?\r\r>"]]).verdict(.responseCount) == .refused)
        let one = Self.run(.responseCount, ["0100": [slow], "01002": ["7E8064100BE3EB811\r\r>"]])
        #expect(one.verdict(.responseCount) == .ignored)
    }

    @Test("Two values in one answer work, in either order; one value alone does not")
    func multiplePIDs() {
        #expect(Self.run(.multiplePIDs).verdict(.multiplePIDs) == .works)
        for (text, verdict) in [
            ("7E806410D200C1AF8", .works), ("7E804410C1AF8", .ignored), ("NO DATA", .ignored), ("?", .refused),
            ("7E906410C1AF80D20", .ignored),
        ] as [(String, Verdict)] {
            let result = Self.run(.multiplePIDs, ["010C0D": [Answer(stringLiteral: text + "\r\r>")]])
            #expect(result.verdict(.multiplePIDs) == verdict, "\(text)")
        }
    }

    @Test("A long message must be whole, and its content is not reported")
    func longMessages() {
        let result = Self.run(.longMessages)
        #expect(result.verdict(.longMessages) == .works)
        #expect(result.sent == ["ATSTFF", "0902", "ATST32", "0100"])
        #expect(result.report.assessments[.longMessages]?.evidence.last?.reply == ["(7E8: 20 bytes)"])
        let first = Self.run(.longMessages, ["0902": ["7E81014490201314434\r\r>"]])
        #expect(first.verdict(.longMessages) == .ignored)
        #expect(first.report.assessments[.longMessages]?.evidence.last?.reply.joined().contains("314434") == false)
        #expect(Self.run(.longMessages, ["ATSTFF": ["?\r\r>"]]).verdict(.longMessages) == .works)
    }

    @Test("An STN chip reports its firmware; an adapter that answers OK is none")
    func firmware() {
        let stn = Self.run(.stn, ["STI": ["STN1110 v4.2.0\r\r>"]])
        #expect(stn.sent == ["STI"] && stn.report.firmware == "STN1110 v4.2.0")
        #expect(Self.run(.stn).report.firmware == nil)
        let other = Self.run(.stn, ["STI": ["?\r\r>"]])
        #expect(other.verdict(.stn) == .refused && other.report.unsupported == ["STI"])
    }

    @Test("A filter for an unused identifier blocks all answers, and is reset by the command that works")
    func receiveFilter() {
        let nothing: Answer = "NO DATA\r\r>"
        let works = Self.run(.receiveFilter, ["0100": [nothing, Self.both]])
        #expect(works.sent == ["ATCRA7EF", "0100", "ATCRA", "0100"] && works.end == .finished)
        #expect(works.verdict(.receiveFilter) == .works && works.verdict(.filterReset) == .works)
        let old = Self.run(.receiveFilter, ["0100": [nothing, nothing, Self.both], "ATCRA": ["?\r\r>"]])
        #expect(old.sent == ["ATCRA7EF", "0100", "ATCRA", "0100", "ATAR", "0100"] && old.end == .finished)
        #expect(old.verdict(.receiveFilter) == .works && old.verdict(.filterReset) == .refused)
        #expect(Self.run(.receiveFilter).verdict(.receiveFilter) == .ignored)
        let refused = Self.run(.receiveFilter, ["ATCRA7EF": ["?\r\r>"]])
        #expect(refused.sent == ["ATCRA7EF"] && refused.verdict(.receiveFilter) == .refused)
    }

    @Test("A setting that cannot be restored requires a new start-up, and the trial is not repeated")
    func notRestored() {
        let stuck = Self.run(.receiveFilter, ["0100": ["NO DATA\r\r>"]])
        #expect(stuck.end == .notRestored && stuck.verdict(.receiveFilter) == .ignored)
        #expect(stuck.sent.last == "0100" && stuck.sent.contains("ATAR"))
        let half = Self.run(.receiveFilter, ["0100": ["NO DATA\r\r>", "7E8064100BE3EB811\r\r>"]])
        #expect(half.end == .notRestored)
        var again = CapabilityProbe(Self.report, Self.vehicle, known: stuck.report.assessments)
        var sent: [String] = []
        while again.isPending, case .send(let command) = again.begin() {
            sent.append(command.line)
            while case .send(let next) = again.commandEnded(.reply(["OK"]), after: .zero) { sent.append(next.line) }
        }
        #expect(!sent.contains { $0.hasPrefix("ATCRA") })
    }

    @Test(
        "A restart or silence of the adapter during a trial requires a new start-up",
        arguments: ["LV RESET\r\r>", nil]
    )
    func lost(text: String?) {
        let answer = text.map { Answer(stringLiteral: $0) } ?? .silence
        let result = Self.run(.physicalAddressing, ["ATSH7E7": [answer]])
        #expect(result.end == .notRestored)
        #expect(result.verdict(.physicalAddressing) != .works)
    }

    @Test("One ECU alone answers to its own header, and all ECUs answer afterward")
    func physicalAddressing() {
        let one: Answer = "7E8064100BE3EB811\r\r>"
        let result = Self.run(.physicalAddressing, ["0100": [one, "NO DATA\r\r>", Self.both]])
        #expect(result.sent == ["ATSH7E0", "0100", "ATSH7E7", "0100", "ATSH7DF", "0100"])
        #expect(result.verdict(.physicalAddressing) == .works && result.end == .finished)
        #expect(Self.run(.physicalAddressing).verdict(.physicalAddressing) == .ignored)
    }

    @Test("Durations show whether adaptive timing works and whether the timeout can be set")
    func timing() {
        func both(_ milliseconds: Int) -> Answer {
            Self.delayed(milliseconds, "7E8064100BE3EB811\r7E906410080000000\r\r>")
        }
        let learned = Self.run(.adaptiveTiming, ["0100": [both(220), both(220), both(200), both(80)]])
        #expect(learned.verdict(.adaptiveTiming) == .works)
        #expect(learned.sent.first == "ATAT0" && learned.sent.suffix(2) == ["ATAT1", "0100"])
        #expect(Self.run(.adaptiveTiming, ["0100": [both(80)]]).verdict(.adaptiveTiming) == .ignored)
        let set = Self.run(.responseTimeout, ["0100": [both(220), both(430), both(80)]])
        #expect(set.verdict(.responseTimeout) == .works)
        #expect(set.sent.suffix(3) == ["ATST32", "ATAT1", "0100"])
        #expect(Self.run(.responseTimeout, ["0100": [both(220)]]).verdict(.responseTimeout) == .ignored)
    }

    @Test("The time between frames shows whether flow control can be set")
    func flowControl() {
        let fast = Self.delayed(80, Self.vin)
        let slow = Self.delayed(240, Self.vin)
        let works = Self.run(.flowControl, ["0902": [fast, slow]])
        #expect(works.verdict(.flowControl) == .works)
        #expect(works.sent.suffix(4) == ["ATFCSM0", "ATST32", "ATAT1", "0100"])
        #expect(Self.run(.flowControl, ["0902": [fast]]).verdict(.flowControl) == .ignored)
        let refused = Self.run(.flowControl, ["ATFCSH7E0": ["?\r\r>"]])
        #expect(refused.verdict(.flowControl) == .refused && refused.end == .finished)
        #expect(refused.sent.suffix(3) == ["ATST32", "ATAT1", "0100"])
    }

    @Test("The adapter's voltage is compared with the vehicle's (quirks 43 to 45)")
    func voltage() {
        // 30D4 is 12.500 V.
        #expect(Self.run(.voltage).report.assessments[.voltage]?.note == "0.1 V above the vehicle's value")
        #expect(Self.run(.voltage, ["ATRV": ["14.9V\r\r>"]]).verdict(.voltage) == .ignored)
        #expect(Self.run(.voltage, ["ATRV": ["0.0V\r\r>"]]).verdict(.voltage) == .ignored)
    }

    @Test("Capabilities that the bus or the vehicle cannot show are reported as not tested")
    func untestable() {
        var report = Self.report
        report.bus = .iso9141
        report.ecus = [.legacy(0x10): [[0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11]]]
        let vehicle = ProbedVehicle(primary: .legacy(0x10), pids: [], hasVIN: false, hasVoltage: false)
        let probe = CapabilityProbe(report, vehicle)
        for capability in [.multiplePIDs, .receiveFilter, .filterReset, .physicalAddressing] as [Capability] {
            #expect(probe.report.assessments[capability]?.verdict == .notTested("the bus is not CAN"))
        }
        #expect(
            probe.report.assessments[.longMessages]?.verdict == .notTested("the vehicle has no long message")
        )
    }
}
