// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Remote
import Subscriber
import Testing

@Suite("Forged responses with the id of a signed command")
struct ForgedResponseTests {
    private typealias Action = CommandExchange.Action

    /// Creates an exchange for a command of anna's that was sent at 0 s to an online vehicle, and is valid for 300 s.
    private static func exchange(issuer: String? = "anna", end: MonotonicTime? = nil) throws -> CommandExchange {
        let command = OutgoingCommand(
            "clear_codes",
            ["confirm": "all"],
            for: "van-12",
            at: Timestamp(milliseconds: 0),
            validity: .seconds(300),
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
        _ = exchange.subscriptionAnswered([true, true, true, true], at: at(0))
        _ = exchange.messageReceived(try message("van-12/availability", "online"), at: at(0))
        _ = exchange.messageReceived(try message("van-12/status", "{\"link\":\"connected\"}"), at: at(0))
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

    /// Returns the kind of each action, and the signer in its response.
    private static func kinds(_ actions: [Action]) -> [String] {
        actions.map { action in
            switch action {
            case .publish: "publish"
            case .unsubscribe: "unsubscribe"
            case .report(.response(let answer)): "\(answer.state.rawValue) of \(answer.issuer ?? "no signer")"
            case .report(.unverifiedRefusal(let answer)): "unverified: \(answer.reason ?? "")"
            case .report: "progress"
            case .finish(.answered(let answer)): "end: \(answer.state.rawValue) of \(answer.issuer ?? "no signer")"
            case .finish: "end"
            }
        }
    }

    @Test("A refusal that does not name the signer does not end the exchange at once", arguments: [nil, "eve"])
    func before(issuer: String?) throws {
        var exchange = try Self.exchange()
        let forged = try Self.answer("refused", issuer: issuer, reason: "bad_signature")
        #expect(Self.kinds(exchange.messageReceived(forged, at: at(1))) == ["unverified: bad_signature"])
        // Further ones have no effect.
        let more = try Self.answer("refused", issuer: issuer, reason: "malformed", seq: 2)
        #expect(exchange.messageReceived(more, at: at(10)).isEmpty)
        #expect(exchange.timePassed(at: at(10.9)).isEmpty)
        let accepted = try Self.answer("accepted", issuer: "anna", seq: 3)
        #expect(Self.kinds(exchange.messageReceived(accepted, at: at(10.9))) == ["accepted of anna"])
        #expect(exchange.timePassed(at: at(60)).isEmpty)
        let end = try Self.answer("succeeded", issuer: "anna", seq: 4)
        #expect(Self.kinds(exchange.messageReceived(end, at: at(61))) == ["end: succeeded of anna"])
    }

    @Test(
        "Once a response has named the signer, only such responses count",
        arguments: ["accepted", "running", "refused", "failed", "succeeded"]
    )
    func after(state: String) throws {
        var exchange = try Self.exchange()
        _ = exchange.messageReceived(try Self.answer("accepted", issuer: "anna"), at: at(1))
        for (seq, issuer) in [nil, "eve", "Anna", ""].enumerated() {
            let forged = try Self.answer(state, issuer: issuer, reason: "bad_signature", seq: seq + 2)
            #expect(exchange.messageReceived(forged, at: at(2)).isEmpty)
        }
        #expect(exchange.timePassed(at: at(60)).isEmpty)
        let end = try Self.answer("failed", issuer: "anna", reason: "no_answer", seq: 9)
        #expect(Self.kinds(exchange.messageReceived(end, at: at(61))) == ["end: failed of anna"])
    }

    @Test("Responses that need a verified signature are ignored without the signer's name")
    func impossible() throws {
        var exchange = try Self.exchange()
        for (seq, state) in ["accepted", "running", "failed", "succeeded"].enumerated() {
            #expect(exchange.messageReceived(try Self.answer(state, seq: seq), at: at(1)).isEmpty)
        }
        #expect(exchange.messageReceived(try Self.answer("refused", reason: "busy", seq: 8), at: at(1)).isEmpty)
        #expect(exchange.timePassed(at: at(30)).isEmpty)
        #expect(Self.kinds(exchange.timePassed(at: at(305))) == ["end"])
    }

    @Test("A refusal without the signer's name counts after ten seconds without another response")
    func delayedRefusal() throws {
        var exchange = try Self.exchange()
        _ = exchange.messageReceived(try Self.answer("refused", reason: "bad_signature"), at: at(1))
        #expect(exchange.timePassed(at: at(10.9)).isEmpty)
        #expect(Self.kinds(exchange.timePassed(at: at(11))) == ["end: refused of no signer"])
    }

    @Test(
        "At the end of the wait, and of the validity, a refusal without the signer's name counts at once",
        arguments: [(5, 5, 1), (nil, 305, 299)] as [(Double?, Double, Double)]
    )
    func endOfWait(end: Double?, time: Double, refusal: Double) throws {
        var exchange = try Self.exchange(end: end.map(at))
        _ = exchange.messageReceived(try Self.answer("refused", reason: "bad_signature"), at: at(refusal))
        #expect(exchange.timePassed(at: at(time - 0.1)).isEmpty)
        #expect(Self.kinds(exchange.timePassed(at: at(time))) == ["end: refused of no signer"])
    }

    @Test("For an unsigned command every response counts", arguments: [nil, "eve"])
    func unsigned(issuer: String?) throws {
        var exchange = try Self.exchange(issuer: nil)
        let refused = try Self.answer("refused", issuer: issuer, reason: "unsigned")
        #expect(
            Self.kinds(exchange.messageReceived(refused, at: at(1))) == ["end: refused of \(issuer ?? "no signer")"]
        )
    }
}
