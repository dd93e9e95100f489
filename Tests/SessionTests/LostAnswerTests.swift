// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Testing

@testable import ELM327
@testable import Session

@Suite("An agenda whose answers are lost or refused")
struct LostAnswerTests {
    private typealias Answers = (SessionAgenda.Question) -> [ECUAddress: [UInt8]]

    private struct Run {
        var asked: [SessionAgenda.Question] = []
        var monitors: [[ECUAddress: MonitorStatus]] = []
        var tests: [MonitorReading] = []
        var readings: [CodeReading] = []

        func count(_ errand: Errand) -> Int { self.asked.count { $0 == .errand(errand) } }
    }

    private static func agenda(_ ecus: [ECUAddress: [UInt8]]) -> SessionAgenda {
        var report = AdapterReport()
        report.bus = .can11at500
        report.ecus = ecus.mapValues { [$0] }
        return SessionAgenda(report, selection: Selection(intervals: [0x0C: .seconds(1)]))
    }

    /// Answers all requests, each within 100 ms; a request without an answer stays silent.
    private static func run(
        _ agenda: inout SessionAgenda,
        from start: Duration = .zero,
        for duration: Duration,
        _ answers: Answers
    ) -> Run {
        var run = Run()
        var now = MonotonicTime(sinceBoot: start)
        let end = now + duration
        while now < end {
            switch agenda.next(at: now) {
            case .wait(let due): now = max(due, now + .milliseconds(1))
            case .tryAdapter: agenda.trials.isPending = false
            case .ask(let question):
                now = now + .milliseconds(100)
                run.asked.append(question)
                let replies = answers(question).mapValues { message -> ECUReply in
                    message[0] == 0x7F ? .negative(message[2]) : .positive([message])
                }
                let result = BusResult(outcome: replies.isEmpty ? .noData : .answered(replies), dropped: 0)
                guard case .proceed(let events) = agenda.answered(question, result, at: now) else { return run }
                for event in events {
                    switch event {
                    case .monitors(let monitors): run.monitors.append(monitors)
                    case .tests(let reading): run.tests.append(reading)
                    case .codes(let reading): run.readings.append(reading)
                    default: break
                    }
                }
            }
        }
        return run
    }

    /// Two ECUs with PID 01, of which the engine's has PID 0C too.
    private static func classic(_ question: SessionAgenda.Question, hasGearbox: Bool) -> [ECUAddress: [UInt8]] {
        switch question {
        case .errand(.supportedPIDs(0x00)), .errand(.identityProof):
            [TwoECUs.engine: [0x41, 0, 0x80, 0x10, 0, 0], TwoECUs.gearbox: [0x41, 0, 0x80, 0, 0, 0]]
        case .errand(.monitorStatus):
            [TwoECUs.engine: [0x41, 0x01, 0, 7, 0x65, 0]].merging(
                hasGearbox ? [TwoECUs.gearbox: [0x41, 0x01, 0, 7, 0x65, 0x65]] : [:]
            ) { $1 }
        case .poll(.pid(0x0C)): [TwoECUs.engine: [0x41, 0x0C, 0x0C, 0xB2]]
        case .errand(.codes(.stored)): [TwoECUs.engine: [0x43, 0], TwoECUs.gearbox: [0x43, 0]]
        default: [:]
        }
    }

    private static let classicECUs: [ECUAddress: [UInt8]] = [
        TwoECUs.engine: [0x41, 0, 0x80, 0x10, 0, 0], TwoECUs.gearbox: [0x41, 0, 0x80, 0, 0, 0],
    ]

    @Test("Monitors are published with every ECU, although the first answers of one are lost", arguments: [1, 2, 5])
    func lostMonitors(losses: Int) {
        var agenda = Self.agenda(Self.classicECUs)
        var left = losses
        let run = Self.run(&agenda, for: .seconds(90)) { question in
            guard question == .errand(.monitorStatus) else { return Self.classic(question, hasGearbox: true) }
            left -= 1
            return Self.classic(question, hasGearbox: left < 0)
        }
        #expect(run.monitors.map { Set($0.keys) } == [[TwoECUs.engine, TwoECUs.gearbox]])
    }

    @Test("A reading of the monitors has no list if an ECU is missing in it")
    func incompleteReading() {
        var agenda = Self.agenda(Self.classicECUs)
        #expect(Self.run(&agenda, for: .seconds(20)) { Self.classic($0, hasGearbox: true) }.monitors.count == 1)
        agenda.readMonitors()
        let run = Self.run(&agenda, from: .seconds(20), for: .seconds(5)) { Self.classic($0, hasGearbox: false) }
        #expect(run.count(.monitorStatus) == 2)
        #expect(run.tests.map(\.sinceClear) == [[:]] && run.monitors.isEmpty)
        agenda.readMonitors()
        let again = Self.run(&agenda, from: .seconds(25), for: .seconds(5)) { Self.classic($0, hasGearbox: true) }
        #expect(again.tests.map(\.sinceClear.count) == [2])
    }

    private static let part2ECUs: [ECUAddress: [UInt8]] = [
        TwoECUs.engine: [0x62, 0xF4, 0, 0, 0x10, 0, 0], TwoECUs.gearbox: [0x62, 0xF4, 0, 0, 0, 0, 0],
    ]

    /// Two ECUs of J1979-2 that answer every request but those for stored codes by their group.
    private static func part2(
        _ question: SessionAgenda.Question,
        _ grouped: [ECUAddress: [UInt8]]
    ) -> [ECUAddress: [UInt8]] {
        switch question {
        case .errand(.supportedPIDs(0x00)), .errand(.identityProof): Self.part2ECUs
        case .poll(.pid(0x0C)): [TwoECUs.engine: [0x62, 0xF4, 0x0C, 0x0C, 0xB2]]
        case .errand(.codes(.stored)): grouped
        case .errand(.codes(.pending)):
            [TwoECUs.engine: [0x59, 0x42, 0x33, 0xFF, 0xFF, 4], TwoECUs.gearbox: [0x59, 0x42, 0x33, 0xFF, 0xFF, 4]]
        case .errand(.ungroupedCodes(.stored)):
            [TwoECUs.engine: [0x59, 2, 0xFF], TwoECUs.gearbox: [0x59, 2, 0xFF]]
        default: [:]
        }
    }

    @Test(
        "Only a definite refusal of all ECUs ends the use of groups",
        arguments: [
            ([0x7F, 0x19, 0x12], [0x7F, 0x19, 0x11], false), ([0x7F, 0x19, 0x21], [0x7F, 0x19, 0x21], true),
            ([0x7F, 0x19, 0x12], [0x7F, 0x19, 0x22], true), ([0x7F, 0x19, 0x12], nil, true), (nil, nil, true),
        ] as [([UInt8]?, [UInt8]?, Bool)]
    )
    func groups(engine: [UInt8]?, gearbox: [UInt8]?, knowsGroups: Bool) {
        var agenda = Self.agenda(Self.part2ECUs)
        var grouped: [ECUAddress: [UInt8]] = [:]
        grouped[TwoECUs.engine] = engine
        grouped[TwoECUs.gearbox] = gearbox
        let run = Self.run(&agenda, for: .seconds(10)) { Self.part2($0, grouped) }
        #expect(agenda.identity.knowsGroups == knowsGroups)
        #expect((run.count(.ungroupedCodes(.stored)) > 0) == knowsGroups)
        #expect(run.count(.codes(.permanent)) > 0)
    }

    @Test("A failure of the bus does not end the use of groups")
    func busFailure() {
        var agenda = Self.agenda(Self.part2ECUs)
        let now = MonotonicTime(sinceBoot: .zero)
        _ = Self.run(&agenda, for: .milliseconds(500)) { Self.part2($0, [:]) }
        for _ in 0..<2 {
            let failed = BusResult(outcome: .busUnavailable(.busError), dropped: 0)
            _ = agenda.answered(.errand(.codes(.stored)), failed, at: now)
        }
        #expect(agenda.identity.knowsGroups)
    }
}
