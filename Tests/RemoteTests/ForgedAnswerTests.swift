// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Subscriber
import Contract
import Base
import Remote
import Testing

@Suite("Answers to somebody else under the id of a signed command")
struct ForgedAnswerTests {
    private typealias Action = CommandExchange.Action

    /// A command of anna's, sent at 0 s, valid for 300 s, to a vehicle that is online.
    private static func exchange(issuer: String? = "anna", end: MonotonicTime? = nil) throws -> CommandExchange {
        let command = OutgoingCommand(
            "clear_codes",
            ["confirm": "all"],
            for: "van-12",
            at: Timestamp(milliseconds: 0),
            life: .seconds(300),
            id: "desk-1"
        )
        var exchange = try CommandExchange(
            command,
            payload: Array("eyJ.eyJ.x".utf8),
            issuer: issuer,
            topics: fleetTopics,
            expiry: at(300),
            end: end
        )
        _ = exchange.subscribed([true, true, true, true], at: at(0))
        _ = exchange.received(try message("van-12/availability", "online"), at: at(0))
        _ = exchange.received(try message("van-12/status", "{\"link\":\"connected\"}"), at: at(0))
        return exchange
    }

    private static func answer(
        _ state: String,
        issuer: String? = nil,
        reason: String? = nil,
        seq: Int = 1
    ) throws -> Message {
        let json: JSON = [
            "id": "desk-1", "state": .string(state), "seq": .integer(Int64(seq)),
            "issuer": issuer.map { .string($0) } ?? .null, "reason": reason.map { .string($0) } ?? .null,
        ]
        return try message("van-12/responses", json.text)
    }

    /// What an action is, and whose answer it has.
    private static func kinds(_ actions: [Action]) -> [String] {
        actions.map { action in
            switch action {
            case .publish: "publish"
            case .tell(.answer(let answer)): "\(answer.state.rawValue) of \(answer.issuer ?? "nobody")"
            case .tell(.doubtful(let answer)): "doubtful: \(answer.reason ?? "")"
            case .tell: "news"
            case .finish(.answered(let answer)): "end: \(answer.state.rawValue) of \(answer.issuer ?? "nobody")"
            case .finish: "end"
            }
        }
    }

    @Test("A refusal that names nobody does not hide what became of the command", arguments: [nil, "eve"])
    func before(issuer: String?) throws {
        var exchange = try Self.exchange()
        let forged = try Self.answer("refused", issuer: issuer, reason: "bad_signature")
        #expect(Self.kinds(exchange.received(forged, at: at(1))) == ["doubtful: bad_signature"])
        // Many of them change nothing.
        let more = try Self.answer("refused", issuer: issuer, reason: "malformed", seq: 2)
        #expect(exchange.received(more, at: at(10)).isEmpty)
        #expect(exchange.passed(at: at(10.9)).isEmpty)
        let accepted = try Self.answer("accepted", issuer: "anna", seq: 3)
        #expect(Self.kinds(exchange.received(accepted, at: at(10.9))) == ["accepted of anna"])
        #expect(exchange.passed(at: at(60)).isEmpty)
        let end = try Self.answer("succeeded", issuer: "anna", seq: 4)
        #expect(Self.kinds(exchange.received(end, at: at(61))) == ["end: succeeded of anna"])
    }

    @Test(
        "Once the agent has named who has signed, only such answers count",
        arguments: ["accepted", "running", "refused", "failed", "succeeded"]
    )
    func after(state: String) throws {
        var exchange = try Self.exchange()
        _ = exchange.received(try Self.answer("accepted", issuer: "anna"), at: at(1))
        for (seq, issuer) in [nil, "eve", "Anna", ""].enumerated() {
            let forged = try Self.answer(state, issuer: issuer, reason: "bad_signature", seq: seq + 2)
            #expect(exchange.received(forged, at: at(2)).isEmpty)
        }
        #expect(exchange.passed(at: at(60)).isEmpty)
        let end = try Self.answer("failed", issuer: "anna", reason: "no_answer", seq: 9)
        #expect(Self.kinds(exchange.received(end, at: at(61))) == ["end: failed of anna"])
    }

    @Test("What only a command can be answered whose signature was verified is somebody else's without its signer")
    func impossible() throws {
        var exchange = try Self.exchange()
        for (seq, state) in ["accepted", "running", "failed", "succeeded"].enumerated() {
            #expect(exchange.received(try Self.answer(state, seq: seq), at: at(1)).isEmpty)
        }
        #expect(exchange.received(try Self.answer("refused", reason: "busy", seq: 8), at: at(1)).isEmpty)
        #expect(exchange.passed(at: at(30)).isEmpty)
        #expect(Self.kinds(exchange.passed(at: at(305))) == ["end"])
    }

    @Test("A refusal that names nobody is believed after ten seconds without a better one")
    func believed() throws {
        var exchange = try Self.exchange()
        _ = exchange.received(try Self.answer("refused", reason: "bad_signature"), at: at(1))
        #expect(exchange.passed(at: at(10.9)).isEmpty)
        #expect(Self.kinds(exchange.passed(at: at(11))) == ["end: refused of nobody"])
    }

    @Test(
        "Who does not want to wait so long is told what there is",
        arguments: [(5, 5, 1), (nil, 305, 299)] as [(Double?, Double, Double)]
    )
    func impatient(end: Double?, time: Double, refusal: Double) throws {
        var exchange = try Self.exchange(end: end.map(at))
        _ = exchange.received(try Self.answer("refused", reason: "bad_signature"), at: at(refusal))
        #expect(exchange.passed(at: at(time - 0.1)).isEmpty)
        #expect(Self.kinds(exchange.passed(at: at(time))) == ["end: refused of nobody"])
    }

    @Test("A command that nobody has signed is answered as ever", arguments: [nil, "eve"])
    func unsigned(issuer: String?) throws {
        var exchange = try Self.exchange(issuer: nil)
        let refused = try Self.answer("refused", issuer: issuer, reason: "unsigned")
        #expect(Self.kinds(exchange.received(refused, at: at(1))) == ["end: refused of \(issuer ?? "nobody")"])
    }
}
