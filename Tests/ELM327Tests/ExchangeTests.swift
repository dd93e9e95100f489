// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ELM327

@Suite("A request through the adapter")
struct ExchangeTests {
    private static let answer: Answer = "7E8 04 41 0C 1A F8\r\r>"
    private static let answered = BusOutcome.answered([.can11(0x7E8): .positive([[0x41, 0x0C, 0x1A, 0xF8]])])

    @Test("An answer ends it at once")
    func answer() {
        var bench = Bench(["010C": [Self.answer]])
        #expect(bench.ask(Asked.engineSpeed) == BusResult(outcome: Self.answered, dropped: 0))
        #expect(bench.requests == ["010C"])
        #expect(bench.now < .milliseconds(50))
    }

    @Test("Every ECU's answer is kept apart")
    func ecus() {
        var bench = Bench(["010C": ["7E8 04 41 0C 1A F8\r7E9 03 7F 01 12\r7EA 04 41 0C 00 00\r\r>"]])
        let replies: [ECUAddress: ECUReply] = [
            .can11(0x7E8): .positive([[0x41, 0x0C, 0x1A, 0xF8]]), .can11(0x7E9): .negative(0x12),
            .can11(0x7EA): .positive([[0x41, 0x0C, 0x00, 0x00]]),
        ]
        #expect(bench.ask(Asked.engineSpeed) == BusResult(outcome: .answered(replies), dropped: 0))
    }

    @Test(
        "The late answer to another request is not taken for this one's, and it is asked again in step (quirks 7 and 40)"
    )
    func lateAnswer() {
        var bench = Bench(["010C": [Self.answer]])
        bench.says("7E8 03 41 0D 20\r\r>", after: .milliseconds(5))
        #expect(bench.ask(Asked.engineSpeed) == BusResult(outcome: Self.answered, dropped: 1))
        #expect(bench.requests == ["010C", "010C"])
    }

    @Test("An answer of the wrong length is dropped")
    func wrongLength() {
        var bench = Bench(["010C": ["7E8 03 41 0C 1A\r\r>", Self.answer]])
        #expect(bench.ask(Asked.engineSpeed) == BusResult(outcome: Self.answered, dropped: 1))
    }

    @Test("A refusal is an answer (quirk 41)")
    func negative() {
        var bench = Bench(["010C": ["7E8 03 7F 01 11\r\r>"]])
        let outcome = BusOutcome.answered([.can11(0x7E8): .negative(0x11)])
        #expect(bench.ask(Asked.engineSpeed) == BusResult(outcome: outcome, dropped: 0))
        #expect(bench.requests == ["010C"])
    }

    @Test("The refusal of another service is none of ours")
    func otherNegative() {
        var bench = Bench(["010C": ["7E8 03 7F 09 11\r\r>"]])
        #expect(bench.ask(Asked.engineSpeed) == BusResult(outcome: .unusable(nil), dropped: 3))
        #expect(bench.requests == ["010C", "010C", "010C"])
    }

    @Test("Response pending and then the answer is an answer, in one reply or in the next (quirk 41)")
    func pending() {
        let pending = (after: Duration.milliseconds(20), text: "7E8 03 7F 01 78\r")
        var same = Bench(["010C": [Answer([pending, (.seconds(4), "7E8 04 41 0C 1A F8\r\r>")])]])
        #expect(same.ask(Asked.engineSpeed) == BusResult(outcome: Self.answered, dropped: 0))
        #expect(same.requests == ["010C"])
        var next = Bench(["010C": ["7E8 03 7F 01 78\r\r>", Self.answer]])
        #expect(next.ask(Asked.engineSpeed) == BusResult(outcome: Self.answered, dropped: 0))
        #expect(next.requests == ["010C", "010C"])
    }

    @Test("An ECU that is busy is asked again after a pause, and that twice")
    func busy() {
        var once = Bench(["010C": ["7E8 03 7F 01 21\r\r>", Self.answer]])
        #expect(once.ask(Asked.engineSpeed) == BusResult(outcome: Self.answered, dropped: 0))
        #expect(once.now >= .milliseconds(240))
        var always = Bench(["010C": ["7E8 03 7F 01 21\r\r>"]])
        let busy = BusOutcome.answered([.can11(0x7E8): .negative(0x21)])
        #expect(always.ask(Asked.engineSpeed) == BusResult(outcome: busy, dropped: 0))
        #expect(always.requests == ["010C", "010C", "010C"])
    }

    @Test("A question mark may be about something else, and is believed when it comes again (quirk 15)")
    func questionMark() {
        var once = Bench(["010C": ["?\r\r>", "7E8 04 41 0C 1A F8\r\r>"]])
        #expect(
            once.ask(Asked.engineSpeed)?.outcome == .answered([.can11(0x7E8): .positive([[0x41, 0x0C, 0x1A, 0xF8]])])
        )
        var always = Bench(["010C": ["?\r\r>"]])
        #expect(always.ask(Asked.engineSpeed)?.outcome == .unusable(.notUnderstood))
        #expect(always.sent.filter { $0 == "010C" }.count == 2)
    }

    @Test(
        "Some replies end it without another try",
        arguments: [
            ("NO DATA", .noData), ("CAN ERROR", .busUnavailable(.busError)),
            ("UNABLE TO CONNECT", .busUnavailable(.unableToConnect)),
            ("BUS INIT: ERROR", .busUnavailable(.busInitError)),
            ("LV RESET", .adapterRestarted), ("ELM327 v1.5", .adapterRestarted), ("ERR94", .adapterRestarted),
            ("7E8 04 41 0C 1A F8\rLV RESET", .adapterRestarted), ("!LP ALERT\rNO DATA", .noData),
        ] as [(String, BusOutcome)]
    )
    func final(text: String, outcome: BusOutcome) {
        var bench = Bench(["010C": [Answer(stringLiteral: text + "\r\r>")]])
        #expect(bench.ask(Asked.engineSpeed)?.outcome == outcome)
        #expect(bench.requests == ["010C"])
    }

    @Test(
        "After some it is asked again, twice at most",
        arguments: [
            ("STOPPED", .unusable(.stopped)), ("DATA ERROR", .unusable(.damaged)), ("BUS BUSY", .unusable(.busBusy)),
            ("7E8 04 41 0C 1A F8 <DATA ERROR", .unusable(.damaged)), ("BUFFER FULL", .unusable(.bufferFull)),
            ("7E8 04 41 0C 1A F", .unusable(nil)), ("OK", .unusable(nil)), ("41 0C 1A F8", .unusable(nil)),
            ("7E8 03 41 0D 20\rNO DATA", .noData), ("+CONNECTING<<", .unusable(nil)),
        ] as [(String, BusOutcome)]
    )
    func repeated(text: String, outcome: BusOutcome) {
        let bad = Answer(stringLiteral: text + "\r\r>")
        var always = Bench(["010C": [bad]])
        #expect(always.ask(Asked.engineSpeed)?.outcome == outcome)
        #expect(always.requests == ["010C", "010C", "010C"])
        var twice = Bench(["010C": [bad, bad, Self.answer]])
        #expect(twice.ask(Asked.engineSpeed)?.outcome == Self.answered)
    }

    @Test("Silence is tried again while the adapter prompts, and is reported when it does not")
    func silence() {
        var alive = Bench(["010C": [.silence, Self.answer], " ": ["STOPPED\r\r>"]])
        #expect(alive.ask(Asked.engineSpeed) == BusResult(outcome: Self.answered, dropped: 1))
        #expect(alive.requests == ["010C", " ", "010C"])
        var dead = Bench(["010C": [.silence]])
        #expect(dead.ask(Asked.engineSpeed) == BusResult(outcome: .adapterSilent, dropped: 1))
        #expect(dead.requests == ["010C", " "])
    }

    @Test("A line of ten megabytes is thrown away, and the request asked again")
    func flood() {
        let flood = Answer(stringLiteral: String(repeating: "41 0C 1A F8 ", count: 900_000) + "\r>")
        var bench = Bench(["010C": [flood, Self.answer]])
        #expect(bench.ask(Asked.engineSpeed) == BusResult(outcome: Self.answered, dropped: 1))
    }

    @Test(
        "A slow request raises the adapter's timeout, and restores it whatever came",
        arguments: ["NO DATA", "?", "STOPPED"]
    )
    func slow(text: String) {
        var bench = Bench(["0902": [Answer(stringLiteral: text + "\r\r>")]])
        _ = bench.ask(Asked.vin)
        #expect(bench.requests.first == "ATSTFF")
        #expect(bench.requests.last == "ATST32")
        #expect(bench.requests.count { $0.hasPrefix("ATST") } == 2)
    }

    @Test("An adapter without the timeout's command is asked all the same")
    func slowUnsupported() {
        let vin = MessageAssemblerTests.frames([0x49, 0x02, 0x01] + Transcript.vin).joined(separator: "\r")
        var bench = Bench(["0902": [Answer(stringLiteral: vin + "\r\r>")]], otherwise: "?\r\r>")
        let outcome = BusOutcome.answered([.can11(0x7E8): .positive([[0x49, 0x02, 0x01] + Transcript.vin])])
        #expect(bench.ask(Asked.vin) == BusResult(outcome: outcome, dropped: 0))
    }

    @Test("An adapter that dies or restarts while its timeout is raised is not asked")
    func slowDead() {
        var dead = Bench(["ATSTFF": [.silence]])
        #expect(dead.ask(Asked.clearCodes)?.outcome == .adapterSilent)
        #expect(!dead.requests.contains("04"))
        var restarted = Bench(["ATSTFF": ["LV RESET\r\r>"]])
        #expect(restarted.ask(Asked.clearCodes)?.outcome == .adapterRestarted)
        #expect(!restarted.requests.contains("04"))
    }

    @Test(
        "What must not be repeated is sent once, whatever comes back",
        arguments: [
            "7E8 01 44", "7E8 03 7F 04 22", "7E8 03 7F 04 21", "7E8 03 7F 04 78", "NO DATA", "STOPPED", "DATA ERROR",
            "BUS BUSY",
            "BUFFER FULL", "?", "CAN ERROR", "UNABLE TO CONNECT", "LV RESET", "OK", "garbage", "", "7E8 03 41 0D 20",
            "44",
        ]
    )
    func once(text: String) {
        var bench = Bench(["04": [Answer(stringLiteral: text + "\r\r>"), "7E8 01 44\r\r>"]])
        #expect(bench.ask(Asked.clearCodes) != nil)
        #expect(bench.requests.count { $0 == "04" } == 1)
    }

    @Test("What must not be repeated is sent once after silence too")
    func onceSilent() {
        for interrupt in [.silence, "STOPPED\r\r>"] as [Answer] {
            var bench = Bench(["04": [.silence], " ": [interrupt]])
            #expect(bench.ask(Asked.clearCodes) != nil)
            #expect(bench.requests.count { $0 == "04" } == 1)
        }
    }

    @Test("What must not be repeated gets its own answer, even when an earlier one comes late")
    func onceAfterLateAnswer() {
        var bench = Bench(["04": ["7E8 01 44\r\r>"]])
        bench.says("7E8 03 41 0D 20\r\r>", after: .milliseconds(100))
        #expect(bench.ask(Asked.clearCodes)?.outcome == .answered([.can11(0x7E8): .positive([[0x44]])]))
        #expect(bench.requests == ["ATSTFF", "04", "ATST32"])
    }

    @Test("Frames with a wrong checksum are no answer (quirk 39)")
    func checksum() {
        var bench = Bench(["0100": ["48 6B 10 41 00 BE 3E B8 11 CA\r\r>", "48 6B 10 41 00 BE 3E B8 11 C9\r\r>"]])
        let outcome = BusOutcome.answered([.legacy(0x10): .positive([[0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11]])])
        #expect(bench.ask(Asked.supported, on: .iso9141) == BusResult(outcome: outcome, dropped: 1))
    }

    @Test("Two ECUs that report no codes stay two answers, and padding is not in them (quirks 37 and 38)")
    func noCodes() {
        var bench = Bench(["03": ["7E8 02 43 00 00 00 00 00\r7E9 02 43 00 AA AA AA AA\r\r>"]])
        let replies: [ECUAddress: ECUReply] = [
            .can11(0x7E8): .positive([[0x43, 0x00]]), .can11(0x7E9): .positive([[0x43, 0x00]]),
        ]
        let request = BusRequest(payload: [0x03], echo: [])
        #expect(bench.ask(request) == BusResult(outcome: .answered(replies), dropped: 0))
    }

    @Test("Two answers in one line are no answer, and the same one in two lines is one (quirk 32)")
    func doubled() {
        var bench = Bench(["010D": ["7E803410D207E803410D20\r\r>", "7E803410D20\r7E803410D20\r\r>"]])
        let request = BusRequest(payload: [0x01, 0x0D], echo: [0x0D], lengths: 3...3)
        let outcome = BusOutcome.answered([.can11(0x7E8): .positive([[0x41, 0x0D, 0x20]])])
        #expect(bench.ask(request) == BusResult(outcome: outcome, dropped: 2))
    }

    @Test("Segments without headers are not put together (quirk 33)")
    func headerless() {
        let text = "014\r0: 49 02 01 31 44 34\r1: 47 50 30 30 52 35 35\r2: 42 31 32 33 34 35 36\r\r>"
        var bench = Bench(["0902": [Answer(stringLiteral: text)]])
        #expect(bench.ask(Asked.vin)?.outcome == .unusable(nil))
    }
}
