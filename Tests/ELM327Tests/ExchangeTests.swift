// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ELM327

@Suite("A request with retries")
struct ExchangeTests {
    private static let answer: Answer = "7E8 04 41 0C 1A F8\r\r>"
    private static let answered = BusOutcome.answered([.can11(0x7E8): .positive([[0x41, 0x0C, 0x1A, 0xF8]])])

    @Test("An answer ends the exchange at once")
    func answer() {
        var bench = Bench(["010C": [Self.answer]])
        #expect(bench.ask(SampleRequest.engineSpeed) == BusResult(outcome: Self.answered, dropped: 0))
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
        #expect(bench.ask(SampleRequest.engineSpeed) == BusResult(outcome: .answered(replies), dropped: 0))
    }

    @Test(
        "A late answer to another request is dropped, and the request repeated (quirks 7 and 40)"
    )
    func lateAnswer() {
        var bench = Bench(["010C": [Self.answer]])
        bench.schedule("7E8 03 41 0D 20\r\r>", after: .milliseconds(5))
        #expect(bench.ask(SampleRequest.engineSpeed) == BusResult(outcome: Self.answered, dropped: 1))
        #expect(bench.requests == ["010C", "010C"])
    }

    @Test("An answer of the wrong length is dropped")
    func wrongLength() {
        var bench = Bench(["010C": ["7E8 03 41 0C 1A\r\r>", Self.answer]])
        #expect(bench.ask(SampleRequest.engineSpeed) == BusResult(outcome: Self.answered, dropped: 1))
    }

    @Test("A refusal is an answer (quirk 41)")
    func negative() {
        var bench = Bench(["010C": ["7E8 03 7F 01 11\r\r>"]])
        let outcome = BusOutcome.answered([.can11(0x7E8): .negative(0x11)])
        #expect(bench.ask(SampleRequest.engineSpeed) == BusResult(outcome: outcome, dropped: 0))
        #expect(bench.requests == ["010C"])
    }

    @Test("A refusal of another service is no answer")
    func otherNegative() {
        var bench = Bench(["010C": ["7E8 03 7F 09 11\r\r>"]])
        #expect(bench.ask(SampleRequest.engineSpeed) == BusResult(outcome: .unusable(nil), dropped: 3))
        #expect(bench.requests == ["010C", "010C", "010C"])
    }

    @Test("An answer after response pending counts, in the same reply or the next (quirk 41)")
    func pending() {
        let pending = (after: Duration.milliseconds(20), text: "7E8 03 7F 01 78\r")
        var same = Bench(["010C": [Answer([pending, (.seconds(4), "7E8 04 41 0C 1A F8\r\r>")])]])
        #expect(same.ask(SampleRequest.engineSpeed) == BusResult(outcome: Self.answered, dropped: 0))
        #expect(same.requests == ["010C"])
        var next = Bench(["010C": ["7E8 03 7F 01 78\r\r>", Self.answer]])
        #expect(next.ask(SampleRequest.engineSpeed) == BusResult(outcome: Self.answered, dropped: 0))
        #expect(next.requests == ["010C", "010C"])
    }

    @Test("A busy ECU gets two retries, each after a pause")
    func busy() {
        var once = Bench(["010C": ["7E8 03 7F 01 21\r\r>", Self.answer]])
        #expect(once.ask(SampleRequest.engineSpeed) == BusResult(outcome: Self.answered, dropped: 0))
        #expect(once.now >= .milliseconds(240))
        var always = Bench(["010C": ["7E8 03 7F 01 21\r\r>"]])
        let busy = BusOutcome.answered([.can11(0x7E8): .negative(0x21)])
        #expect(always.ask(SampleRequest.engineSpeed) == BusResult(outcome: busy, dropped: 0))
        #expect(always.requests == ["010C", "010C", "010C"])
    }

    @Test("A first question mark is retried, and a second is final (quirk 15)")
    func questionMark() {
        var once = Bench(["010C": ["?\r\r>", "7E8 04 41 0C 1A F8\r\r>"]])
        #expect(
            once.ask(SampleRequest.engineSpeed)?.outcome
                == .answered([.can11(0x7E8): .positive([[0x41, 0x0C, 0x1A, 0xF8]])])
        )
        var always = Bench(["010C": ["?\r\r>"]])
        #expect(always.ask(SampleRequest.engineSpeed)?.outcome == .unusable(.notUnderstood))
        #expect(always.sent.filter { $0 == "010C" }.count == 2)
    }

    @Test(
        "Some replies end the exchange without a retry",
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
        #expect(bench.ask(SampleRequest.engineSpeed)?.outcome == outcome)
        #expect(bench.requests == ["010C"])
    }

    @Test(
        "Some replies are retried, at most twice",
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
        #expect(always.ask(SampleRequest.engineSpeed)?.outcome == outcome)
        #expect(always.requests == ["010C", "010C", "010C"])
        var twice = Bench(["010C": [bad, bad, Self.answer]])
        #expect(twice.ask(SampleRequest.engineSpeed)?.outcome == Self.answered)
    }

    @Test("Silence is retried while the adapter prompts, and reported when it does not")
    func silence() {
        var alive = Bench(["010C": [.silence, Self.answer], " ": ["STOPPED\r\r>"]])
        #expect(alive.ask(SampleRequest.engineSpeed) == BusResult(outcome: Self.answered, dropped: 1))
        #expect(alive.requests == ["010C", " ", "010C"])
        var dead = Bench(["010C": [.silence]])
        #expect(dead.ask(SampleRequest.engineSpeed) == BusResult(outcome: .adapterSilent, dropped: 1))
        #expect(dead.requests == ["010C", " "])
    }

    @Test("A line of ten megabytes is dropped, and the request repeated")
    func flood() {
        let flood = Answer(stringLiteral: String(repeating: "41 0C 1A F8 ", count: 900_000) + "\r>")
        var bench = Bench(["010C": [flood, Self.answer]])
        #expect(bench.ask(SampleRequest.engineSpeed) == BusResult(outcome: Self.answered, dropped: 1))
    }

    @Test(
        "A slow request raises the adapter's timeout, and restores it after any outcome",
        arguments: ["NO DATA", "?", "STOPPED"]
    )
    func slow(text: String) {
        var bench = Bench(["0902": [Answer(stringLiteral: text + "\r\r>")]])
        _ = bench.ask(SampleRequest.vin)
        #expect(bench.requests.first == "ATSTFF")
        #expect(bench.requests.last == "ATST32")
        #expect(bench.requests.count { $0.hasPrefix("ATST") } == 2)
    }

    @Test("A slow request is sent even if the adapter has no timeout command")
    func slowUnsupported() {
        let vin = MessageAssemblerTests.frames([0x49, 0x02, 0x01] + Transcript.vin).joined(separator: "\r")
        var bench = Bench(["0902": [Answer(stringLiteral: vin + "\r\r>")]], otherwise: "?\r\r>")
        let outcome = BusOutcome.answered([.can11(0x7E8): .positive([[0x49, 0x02, 0x01] + Transcript.vin])])
        #expect(bench.ask(SampleRequest.vin) == BusResult(outcome: outcome, dropped: 0))
    }

    @Test("The request is not sent if the adapter stops or restarts at the timeout command")
    func slowDead() {
        var dead = Bench(["ATSTFF": [.silence]])
        #expect(dead.ask(SampleRequest.clearCodes)?.outcome == .adapterSilent)
        #expect(!dead.requests.contains("04"))
        var restarted = Bench(["ATSTFF": ["LV RESET\r\r>"]])
        #expect(restarted.ask(SampleRequest.clearCodes)?.outcome == .adapterRestarted)
        #expect(!restarted.requests.contains("04"))
    }

    @Test(
        "A request that is not repeatable is sent once, whatever the reply",
        arguments: [
            "7E8 01 44", "7E8 03 7F 04 22", "7E8 03 7F 04 21", "7E8 03 7F 04 78", "NO DATA", "STOPPED", "DATA ERROR",
            "BUS BUSY",
            "BUFFER FULL", "?", "CAN ERROR", "UNABLE TO CONNECT", "LV RESET", "OK", "garbage", "", "7E8 03 41 0D 20",
            "44",
        ]
    )
    func once(text: String) {
        var bench = Bench(["04": [Answer(stringLiteral: text + "\r\r>"), "7E8 01 44\r\r>"]])
        #expect(bench.ask(SampleRequest.clearCodes) != nil)
        #expect(bench.requests.count { $0 == "04" } == 1)
    }

    @Test("A request that is not repeatable is sent once, even after silence")
    func onceSilent() {
        for interrupt in [.silence, "STOPPED\r\r>"] as [Answer] {
            var bench = Bench(["04": [.silence], " ": [interrupt]])
            #expect(bench.ask(SampleRequest.clearCodes) != nil)
            #expect(bench.requests.count { $0 == "04" } == 1)
        }
    }

    @Test("A request that is not repeatable gets its own answer, even after a late earlier one")
    func onceAfterLateAnswer() {
        var bench = Bench(["04": ["7E8 01 44\r\r>"]])
        bench.schedule("7E8 03 41 0D 20\r\r>", after: .milliseconds(100))
        #expect(bench.ask(SampleRequest.clearCodes)?.outcome == .answered([.can11(0x7E8): .positive([[0x44]])]))
        #expect(bench.requests == ["ATSTFF", "04", "ATST32"])
    }

    @Test("Frames with a wrong checksum are no answer (quirk 39)")
    func checksum() {
        var bench = Bench(["0100": ["48 6B 10 41 00 BE 3E B8 11 CA\r\r>", "48 6B 10 41 00 BE 3E B8 11 C9\r\r>"]])
        let outcome = BusOutcome.answered([.legacy(0x10): .positive([[0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11]])])
        #expect(bench.ask(SampleRequest.supported, on: .iso9141) == BusResult(outcome: outcome, dropped: 1))
    }

    @Test("Two ECUs without codes give two answers, without padding (quirks 37 and 38)")
    func noCodes() {
        var bench = Bench(["03": ["7E8 02 43 00 00 00 00 00\r7E9 02 43 00 AA AA AA AA\r\r>"]])
        let replies: [ECUAddress: ECUReply] = [
            .can11(0x7E8): .positive([[0x43, 0x00]]), .can11(0x7E9): .positive([[0x43, 0x00]]),
        ]
        let request = BusRequest(payload: [0x03], echo: [])
        #expect(bench.ask(request) == BusResult(outcome: .answered(replies), dropped: 0))
    }

    @Test("Two answers in one line are dropped; the same answer in two lines counts once (quirk 32)")
    func doubled() {
        var bench = Bench(["010D": ["7E803410D207E803410D20\r\r>", "7E803410D20\r7E803410D20\r\r>"]])
        let request = BusRequest(payload: [0x01, 0x0D], echo: [0x0D], lengths: 3...3)
        let outcome = BusOutcome.answered([.can11(0x7E8): .positive([[0x41, 0x0D, 0x20]])])
        #expect(bench.ask(request) == BusResult(outcome: outcome, dropped: 2))
    }

    @Test("Segments without headers are not assembled (quirk 33)")
    func headerless() {
        let text = "014\r0: 49 02 01 31 44 34\r1: 47 50 30 30 52 35 35\r2: 42 31 32 33 34 35 36\r\r>"
        var bench = Bench(["0902": [Answer(stringLiteral: text)]])
        #expect(bench.ask(SampleRequest.vin)?.outcome == .unusable(nil))
    }
}
