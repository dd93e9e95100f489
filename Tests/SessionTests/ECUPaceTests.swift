// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2
import Testing

@testable import ELM327
@testable import Session

@Suite("What single ECUs are asked, and when")
struct ECUPaceTests {
    private static let ecus: [UInt16] = [0x7E4, 0x7E5]

    /// Returns three requests to each of two ECUs, with one parameter each, such as `e4_1` of 7E4.
    private static func parameters() throws -> [CustomParameter] {
        try Self.ecus.flatMap { ecu in
            try (1...3).map { request in
                CustomParameter(
                    request: try CustomRequest(
                        payload: [0x22, 0x01, request],
                        destination: Destination(header: .can11(ecu))
                    ),
                    field: Field(custom: "e\(ecu == Self.ecus[0] ? 4 : 5)_\(request)", try Formula("A"))
                )
            }
        }
    }

    /// Returns the agenda of a vehicle whose engine's ECU has PIDs 01 and 0C, or of one without standard services.
    private static func agenda(hasStandardServices: Bool = true) throws -> SessionAgenda {
        let custom = try Self.parameters()
        var report = AdapterReport()
        report.bus = .can11at500
        report.ecus =
            hasStandardServices
            ? [.can11(0x7E8): [[0x41, 0x00, 0x80, 0x10, 0, 0]]] : [.can11(0x7EC): [[0x62, 0x01, 0x01, 0]]]
        var intervals = Dictionary(
            uniqueKeysWithValues: custom.map { (ParameterKey.custom($0.name), Duration.seconds(5)) }
        )
        intervals[0x0C] = .seconds(1)
        return SessionAgenda(
            report,
            selection: Selection(intervals: intervals),
            custom: Dictionary(uniqueKeysWithValues: custom.map { ($0.name, $0) })
        )
    }

    private struct Run {
        /// The times of the requests in seconds, by request, such as "7E4 22 01 01".
        var asked: [String: [Double]] = [:]
        var silences: [String] = []
        var end: SessionError?

        func count(_ prefix: String) -> Int {
            self.asked.reduce(0) { $0 + ($1.key.hasPrefix(prefix) ? $1.value.count : 0) }
        }

        func times(_ prefix: String) -> [Double] {
            self.asked.filter { $0.key.hasPrefix(prefix) }.flatMap(\.value).sorted()
        }
    }

    /// Runs the agenda for `duration`; each request takes 100 ms, and the standard services are answered.
    private static func run(
        _ agenda: inout SessionAgenda,
        from start: Duration = .zero,
        for duration: Duration,
        _ answer: (CustomRequest) -> ECUReply?
    ) throws -> Run {
        var run = Run()
        var now = MonotonicTime(sinceBoot: start)
        let end = now + duration
        while now < end {
            switch agenda.next(at: now) {
            case .wait(let due): now = max(due, now + .milliseconds(1))
            case .tryAdapter: agenda.trials.isPending = false
            case .ask(let question):
                var outcome = BusOutcome.noData
                if case .poll(.custom(let request)) = question {
                    run.asked[request.description, default: []].append(now.sinceBoot.seconds)
                    if let reply = answer(request) {
                        outcome = .answered([.can11(request.description.hasPrefix("7E4") ? 0x7EC : 0x7ED): reply])
                    }
                } else if case .errand(.addressedVIN) = question, !agenda.identity.dialect.hasStandardServices,
                    try Self.parameters().first?.request.flatMap(answer) ?? nil != nil
                {
                    outcome = .answered([.can11(0x7EC): .negative(0x31)])
                } else if agenda.identity.dialect.hasStandardServices {
                    let message: [UInt8]? =
                        switch question.request?.payload {
                        case [0x01, 0x00]: [0x41, 0x00, 0x80, 0x10, 0, 0]
                        case [0x01, 0x01]: [0x41, 0x01, 0, 0, 0, 0]
                        case [0x01, 0x0C]: [0x41, 0x0C, 0x0C, 0xB2]
                        default: nil
                        }
                    if let message { outcome = .answered([.can11(0x7E8): .positive([message])]) }
                }
                now = now + .milliseconds(100)
                agenda.ended(question, after: .milliseconds(100))
                switch agenda.answered(question, BusResult(outcome: outcome, dropped: 0), at: now) {
                case .proceed(let events):
                    for case .silent(let destination, _) in events { run.silences.append("\(destination.header)") }
                case .startOver(let error, _):
                    run.end = error
                    return run
                }
            }
        }
        return run
    }

    private static func value(_ request: CustomRequest) -> ECUReply {
        .positive([[0x62] + request.payload.dropFirst() + [1]])
    }

    @Test("What is due of one ECU is asked before the other is")
    func visits() throws {
        var agenda = try Self.agenda()
        let run = try Self.run(&agenda, for: .seconds(65)) { Self.value($0) }
        let order = run.asked.flatMap { request, times in times.map { ($0, request.prefix(3)) } }.sorted { $0.0 < $1.0 }
        let changes = zip(order, order.dropFirst()).count { $0.1 != $1.1 }
        #expect(order.count >= 6 * 12)
        #expect(changes <= 2 * 13, "\(changes)")
        #expect(agenda.unsupported.isEmpty)
    }

    @Test(
        "A busy ECU is left alone for longer and longer, and nothing of it counts as missing",
        arguments: [0x21, 0x78]
    )
    func busy(code: UInt8) throws {
        var agenda = try Self.agenda()
        let run = try Self.run(&agenda, for: .seconds(120)) { request in
            request.description.hasPrefix("7E5") ? .negative(code) : Self.value(request)
        }
        // The session asks again after 1, 2, 4, 8, 16, and then every 30 seconds.
        let times = run.times("7E5")
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect((6...8).contains(times.count), "\(times)")
        #expect(gaps.allSatisfy { $0 >= 1 } && (gaps.last ?? 0) >= 30, "\(gaps)")
        #expect(run.count("7E4") >= 3 * 22)
        #expect(agenda.unsupported.isEmpty && run.silences.isEmpty)
        // Once the ECU answers again, the session asks it as often as the other.
        let again = try Self.run(&agenda, from: .seconds(120), for: .seconds(90)) { Self.value($0) }
        #expect(again.count("7E5") >= 3 * 11)
    }

    @Test("An ECU that is silent to everything is asked three times, until the next drive")
    func silent() throws {
        var agenda = try Self.agenda()
        let run = try Self.run(&agenda, for: .seconds(300)) { request in
            request.description.hasPrefix("7E5") ? nil : Self.value(request)
        }
        let times = run.times("7E5")
        #expect(times.count == ECUPace.silenceLimit)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 10 }, "\(times)")
        #expect(run.silences == ["7E5"])
        #expect(agenda.unsupported == ["e5_1", "e5_2", "e5_3"].map(ParameterKey.custom))
        #expect(agenda.achieved?[.custom("e5_1")] == nil && agenda.achieved?[.custom("e4_1")] != nil)
        // Another selection does not make the session ask the ECU again. Another drive does.
        agenda.select(Selection(intervals: [.custom("e5_1"): .seconds(5), .custom("e4_1"): .seconds(5)]))
        let same = try Self.run(&agenda, from: .seconds(300), for: .seconds(60)) { Self.value($0) }
        #expect(same.count("7E5") == 0 && same.count("7E4") > 0)
        agenda.polling.driveBegan()
        let next = try Self.run(&agenda, from: .seconds(360), for: .seconds(60)) { Self.value($0) }
        #expect(next.count("7E5") >= 11 && next.silences.isEmpty)
        #expect(agenda.unsupported.isEmpty)
    }

    @Test(
        "A request that is refused twice is not repeated, and the others of its ECU are",
        arguments: [0x11, 0x12, 0x31]
    )
    func refused(code: UInt8) throws {
        var agenda = try Self.agenda()
        let run = try Self.run(&agenda, for: .seconds(300)) { request in
            request.description == "7E5 22 01 02" ? .negative(code) : Self.value(request)
        }
        #expect(run.count("7E5 22 01 02") == 2)
        #expect(run.count("7E5 22 01 01") >= 59)
        #expect(agenda.unsupported == [.custom("e5_2")])
        // Selecting the same parameters again does not count as a new drive.
        agenda.select(agenda.polling.selection)
        #expect(
            try Self.run(&agenda, from: .seconds(300), for: .seconds(60)) { Self.value($0) }.count("7E5 22 01 02") == 0
        )
        agenda.polling.driveBegan()
        #expect(
            try Self.run(&agenda, from: .seconds(360), for: .seconds(60)) { Self.value($0) }.count("7E5 22 01 02") > 10
        )
    }

    @Test("A request that was answered before, or is refused under these conditions only, is repeated once a minute")
    func postponed() throws {
        var agenda = try Self.agenda()
        _ = try Self.run(&agenda, for: .seconds(30)) { Self.value($0) }
        let run = try Self.run(&agenda, from: .seconds(30), for: .seconds(600)) { request in
            switch request.description {
            case "7E5 22 01 01": nil
            case "7E5 22 01 02": .negative(0x22)
            default: Self.value(request)
            }
        }
        for request in ["7E5 22 01 01", "7E5 22 01 02"] {
            #expect((10...14).contains(run.count(request)), "\(request): \(run.count(request))")
        }
        #expect(agenda.unsupported == [.custom("e5_1"), .custom("e5_2")])
        #expect(run.silences.isEmpty)
    }

    @Test("A vehicle without standard services is asked on, so that its silence shows that it is gone")
    func manufacturer() throws {
        var agenda = try Self.agenda(hasStandardServices: false)
        let run = try Self.run(&agenda, for: .seconds(600)) { request in
            request.description.hasPrefix("7E5") ? nil : Self.value(request)
        }
        #expect(run.end == nil && run.silences.isEmpty)
        #expect(run.count("7E5") > 20)
        let gone = try Self.run(&agenda, from: .seconds(600), for: .seconds(600)) { _ in nil }
        #expect(gone.end == .vehicleSilent)
    }

    @Test("Requests to single ECUs fit between those to all, or leave these four fifths of the time")
    func between() throws {
        let destination = try #require(Destination(header: .can11(0x7E4)))
        var visits = ECUVisits()
        func limits(_ interval: Duration, _ asked: MonotonicTime) -> PollSchedule.StandardLimits {
            var schedule = PollSchedule([0x0C: interval])
            schedule.asked(0x0C, at: asked)
            return schedule.standardLimits
                ?? PollSchedule.StandardLimits(shortest: .zero, deadline: .zero, item: 0x0C, earliest: .zero)
        }
        let start = MonotonicTime(sinceBoot: .seconds(100))
        // The first visit takes 400 ms, and the return to the standard header takes 200 ms.
        visits.asked(nil, at: start, nil)
        visits.requestEnded(to: nil, after: .milliseconds(60))
        visits.asked(destination, at: start, nil)
        visits.requestEnded(to: destination, after: .milliseconds(400))
        _ = visits.ended(destination, .answered([.can11(0x7EC): .positive([])]), at: start + .milliseconds(400))
        visits.asked(nil, at: start + .milliseconds(400), nil)
        visits.requestEnded(to: nil, after: .milliseconds(200))
        let now = start + .seconds(1)
        #expect(visits.need(of: destination) == .milliseconds(600))
        let opening = { visits.opening(of: destination, requests: 1, at: now, limits($0, now)) }
        // A visit of 600 ms fits into 1 s, and into 0.5 s with a tolerance of a quarter.
        #expect(try #require(opening(.seconds(1))) <= now)
        #expect(try #require(opening(.milliseconds(500))) <= now)
        // A visit does not fit into 0.2 s. It then waits for four times the duration of the last visit that did not
        // fit. There was none before this one.
        visits.asked(destination, at: now, limits(.milliseconds(200), now))
        visits.requestEnded(to: destination, after: .milliseconds(400))
        visits.requestEnded(to: destination, after: .milliseconds(300))
        visits.asked(nil, at: now + .milliseconds(700), limits(.milliseconds(200), now))
        #expect(visits.opening(of: destination, requests: 1, at: now, limits(.milliseconds(200), now)) == nil)
        visits.requestEnded(to: nil, after: .milliseconds(200))
        let next = visits.opening(of: destination, requests: 1, at: now, limits(.milliseconds(200), now))
        #expect(next == now + .milliseconds(700) + .milliseconds(4 * 900))
    }

    @Test("A session whose first request goes to one ECU visits ECUs again beside fast standard parameters")
    func firstVisit() throws {
        let destination = try #require(Destination(header: .can11(0x7E4)))
        var visits = ECUVisits()
        let start = MonotonicTime(sinceBoot: .seconds(100))
        visits.asked(destination, at: start, nil)
        visits.requestEnded(to: destination, after: .milliseconds(400))
        visits.asked(nil, at: start + .milliseconds(400), nil)
        visits.requestEnded(to: nil, after: .milliseconds(200))
        #expect(visits.isDue(at: start + .seconds(10)))
    }
}
