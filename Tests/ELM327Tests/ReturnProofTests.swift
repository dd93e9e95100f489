// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ELM327
import Testing

@Suite("The proof that an adapter kept its settings")
struct ReturnProofTests {
    private static let bitmap: [UInt8] = [0x41, 0x00, 0xBE, 0x3E, 0xB8, 0x11]

    private static func report() -> AdapterReport {
        var report = AdapterReport()
        report.identity = "ELM327 v1.5"
        report.voltage = 14.1
        for capability in [Capability.echoOff, .headers] { report.assessments[capability] = Assessment(.works) }
        report.ecus = [.can11(0x7E8): [Self.bitmap], .can11(0x7E9): [Self.bitmap]]
        return report
    }

    @Test("The same name without an echo is that of the adapter, and nothing else is")
    func names() throws {
        let proof = try #require(ReturnProof(Self.report()))
        #expect(proof.recognizes(.reply(["ELM327 v1.5"]), form: []))
        #expect(!proof.recognizes(.reply(["ELM327 v1.5"]), form: .echo))
        #expect(!proof.recognizes(.reply(["ELM327 v1.5"]), form: .linefeeds))
        #expect(!proof.recognizes(.reply(["ELM327 v2.1"]), form: []))
        // The late answer to a request over the link before.
        #expect(!proof.recognizes(.reply(["7E8 04 41 0C 1A F8"]), form: []))
        #expect(!proof.recognizes(.reply(["7E8 04 41 0C 1A F8", "ELM327 v1.5"]), form: []))
        #expect(!proof.recognizes(.reply([]), form: []) && !proof.recognizes(.silence(prompted: true), form: []))
    }

    @Test("What is no answer to the question for the name may be the end of an earlier request")
    func earlierRequest() throws {
        let proof = try #require(ReturnProof(Self.report()))
        #expect(proof.mayFollow(.reply(["STOPPED"]), form: []) && proof.mayFollow(.reply([]), form: []))
        #expect(proof.mayFollow(.reply(["7E8 04 41 0C 1A F8"]), form: []))
        #expect(!proof.mayFollow(.reply(["ELM327 v1.5"]), form: .echo))
        #expect(!proof.mayFollow(.reply(["ELM327 v1.5"]), form: []))
        #expect(!proof.mayFollow(.silence(prompted: false), form: []))
    }

    @Test("The ECUs must answer as before; one may be missing, none may be new or another")
    func answers() throws {
        let proof = try #require(ReturnProof(Self.report()))
        func report(_ outcome: BusOutcome, dropped: Int = 0, form: ReplyForm = []) -> AdapterReport? {
            proof.report(after: BusResult(outcome: outcome, dropped: dropped), form: form)
        }
        let one = report(.answered([.can11(0x7E9): .positive([Self.bitmap])]))
        #expect(one?.ecus.keys.sorted() == [.can11(0x7E9)] && one?.voltage == nil && one?.works(.headers) == true)
        #expect(report(.answered([.can11(0x7E9): .positive([Self.bitmap])]), form: .echo) == nil)
        #expect(report(.answered([.can11(0x7E9): .positive([Self.bitmap])]), dropped: 1) == nil)
        #expect(report(.answered([.can11(0x7EA): .positive([Self.bitmap])])) == nil)
        #expect(report(.answered([.can11(0x7E8): .positive([[0x41, 0x00, 0, 0, 0, 1]])])) == nil)
        #expect(report(.answered([.can11(0x7E8): .negative(0x11)])) == nil)
        #expect(report(.answered([:])) == nil && report(.noData) == nil && report(.unusable(nil)) == nil)
    }

    @Test("After a start of the process all ECUs must answer, and what the proof does not see is set anew")
    func earlierProcess() throws {
        let proof = try #require(ReturnProof(Self.report(), isOfEarlierProcess: true))
        #expect(proof.commands.map(\.line) == ["ATRV", "ATFCSM0"])
        #expect(proof.fits(nil) && proof.fits(.can11at500) && !proof.fits(.can29at500))
        let all: [ECUAddress: ECUReply] = [
            .can11(0x7E8): .positive([Self.bitmap]), .can11(0x7E9): .positive([Self.bitmap]),
        ]
        func report(_ answers: [ECUAddress: ECUReply]) -> AdapterReport? {
            proof.report(after: BusResult(outcome: .answered(answers), dropped: 0), form: [])
        }
        #expect(
            report(all)?.postponedSettings == ["ATSH7DF", "ATAR", "ATST32", "ATAT1", "ATCAF1", "ATCFC1"]
        )
        #expect(report(all.filter { $0.key == .can11(0x7E8) }) == nil)
        let same = try #require(ReturnProof(Self.report()))
        #expect(same.commands.isEmpty && !same.fits(nil) && same.fits(.can11at500))
    }

    @Test("Without what it rests on there is no proof")
    func conditions() {
        var report = Self.report()
        report.assessments[.echoOff] = Assessment(.ignored)
        #expect(ReturnProof(report) == nil)
        report = Self.report()
        report.ecus = [.can11(0x7E8): [[0x62, 0xF4, 0x00, 1, 2, 3, 4]]]
        #expect(ReturnProof(report) == nil)
        report = Self.report()
        report.identity = ""
        #expect(ReturnProof(report) == nil)
    }
}
