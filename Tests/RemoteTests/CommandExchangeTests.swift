// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Subscriber
import Contract
import MQTT
import Base
import Remote
import Testing

@Suite("What becomes of a command")
struct CommandExchangeTests {
    private typealias Action = CommandExchange.Action

    /// Sent at 0 s, valid for 300 s.
    private static func exchange(end: MonotonicTime? = nil) throws -> CommandExchange {
        let command = OutgoingCommand(
            "read_codes",
            for: "van-12",
            at: Timestamp(milliseconds: 0),
            life: .seconds(300),
            id: "desk-1"
        )
        return try CommandExchange(
            command,
            payload: command.payload(signedBy: nil),
            issuer: nil,
            topics: fleetTopics,
            expiry: at(300),
            end: end
        )
    }

    private static func response(_ state: String, id: String = "desk-1", seq: Int = 1, more: String = "") -> String {
        "{\"agent\":\"a\",\"epoch\":1,\"seq\":\(seq),\"id\":\"\(id)\",\"state\":\"\(state)\"\(more)}"
    }

    /// An exchange whose command is out, to a vehicle that is online.
    private static func running(end: MonotonicTime? = nil) throws -> CommandExchange {
        var exchange = try Self.exchange(end: end)
        _ = exchange.subscribed([true, true, true, true], at: at(0))
        _ = exchange.received(try message("van-12/availability", "online"), at: at(0))
        _ = exchange.received(try message("van-12/status", "{\"link\":\"connected\"}"), at: at(0))
        return exchange
    }

    private static func kinds(_ actions: [Action]) -> [String] {
        actions.map { action in
            switch action {
            case .publish(let message): "publish \(message.topic)"
            case .tell(.sending(let picture)): "sending, \(picture.availability?.rawValue ?? "unknown")"
            case .tell(.availability(let availability)): availability.rawValue
            case .tell(.answer(let answer)): answer.state.rawValue
            case .tell(.doubtful(let answer)): "doubtful: \(answer.state.rawValue)"
            case .tell(.lost): "lost"
            case .finish(.answered(let answer)): "end: \(answer.state.rawValue)"
            case .finish(.cameTooEarly): "came too early"
            case .finish(.unanswered(let isAccepted)): "unanswered, \(isAccepted)"
            case .finish(.pending(let isAccepted)): "pending, \(isAccepted)"
            case .finish(.notReadable): "not readable"
            case .finish(.notTaken(let code)): "not taken \(code)"
            }
        }
    }

    @Test(
        "What an agent has no room for goes out again under the same id, until it is answered",
        arguments: ["busy", "rate_limited"]
    )
    func again(reason: String) throws {
        var exchange = try Self.running()
        let refused = Self.response("refused", more: ",\"reason\":\"\(reason)\"")
        #expect(Self.kinds(exchange.received(try message("van-12/responses", refused), at: at(1))) == ["refused"])
        #expect(exchange.passed(at: at(3.9)).isEmpty)
        #expect(Self.kinds(exchange.passed(at: at(4))) == ["publish obd/van-12/commands"])
        let end = Self.response("succeeded", seq: 2)
        #expect(Self.kinds(exchange.received(try message("van-12/responses", end), at: at(5))) == ["end: succeeded"])
    }

    @Test("What an agent that was offline refuses for want of the vehicle is another thing than what it refuses later")
    func tooEarly() throws {
        let refused = Self.response("refused", more: ",\"reason\":\"not_connected\"")
        var exchange = try Self.running()
        #expect(Self.kinds(exchange.received(try message("van-12/responses", refused), at: at(1))) == ["end: refused"])
        exchange = try Self.running()
        _ = exchange.received(try message("van-12/availability", "offline"), at: at(1))
        _ = exchange.received(try message("van-12/availability", "online"), at: at(60))
        #expect(
            Self.kinds(exchange.received(try message("van-12/responses", refused), at: at(61))) == ["came too early"]
        )
        exchange = try Self.exchange()
        _ = exchange.subscribed([true, true, true, true], at: at(0))
        _ = exchange.received(try message("van-12/availability", "offline"), at: at(0))
        _ = exchange.received(try message("van-12/status", "{\"link\":\"connected\"}"), at: at(0))
        let other = Self.response("refused", more: ",\"reason\":\"not_allowed\"")
        var copy = exchange
        #expect(Self.kinds(copy.received(try message("van-12/responses", other), at: at(61))) == ["end: refused"])
        #expect(
            Self.kinds(exchange.received(try message("van-12/responses", refused), at: at(61))) == ["came too early"]
        )
    }

    @Test("It goes out once it is known whether the vehicle is there")
    func looksFirst() throws {
        var exchange = try Self.exchange()
        #expect(exchange.subscribed([true, true, true, true], at: at(0)).isEmpty)
        #expect(exchange.received(try message("van-12/availability", "offline"), at: at(0.1)).isEmpty)
        let actions = exchange.received(
            try message("van-12/status", "{\"time\":\"2026-11-21T10:00:00Z\"}"),
            at: at(0.2)
        )
        #expect(Self.kinds(actions) == ["sending, offline", "publish obd/van-12/commands"])
        guard case .tell(.sending(let picture)) = actions.first, case .publish(let message) = actions.last else {
            return
        }
        #expect(picture.lastSeen == Timestamp("2026-11-21T10:00:00Z"))
        #expect(message.qos == .atLeastOnce && !message.retain && message.properties.expiry == 300)
        #expect(message.properties.responseTopic?.description == "obd/van-12/responses/desk-1")
    }

    @Test("It goes out too where nobody tells of the vehicle, half a second later")
    func unknown() throws {
        var exchange = try Self.exchange()
        #expect(exchange.passed(at: at(0)).isEmpty)
        #expect(exchange.subscribed([false, true, false, false], at: at(1)).isEmpty)
        #expect(exchange.passed(at: at(1.4)).isEmpty)
        #expect(Self.kinds(exchange.passed(at: at(1.5))) == ["sending, unknown", "publish obd/van-12/commands"])
        #expect(exchange.passed(at: at(1.6)).isEmpty)
    }

    @Test("Its answers are told once each, wherever they come, and the last one ends it")
    func answers() throws {
        var exchange = try Self.running()
        let accepted = Self.response("accepted")
        #expect(
            Self.kinds(exchange.received(try message("van-12/responses/desk-1", accepted), at: at(1))) == ["accepted"]
        )
        #expect(exchange.received(try message("van-12/responses", accepted), at: at(1)).isEmpty)
        let running = Self.response("running", seq: 2, more: ",\"message\":\"reading freeze frames\"")
        #expect(Self.kinds(exchange.received(try message("van-12/responses", running), at: at(2))) == ["running"])
        let end = Self.response("succeeded", seq: 3, more: ",\"result\":{\"codes\":[]}")
        let actions = exchange.received(try message("van-12/responses", end), at: at(3))
        #expect(Self.kinds(actions) == ["end: succeeded"])
        guard case .finish(.answered(let answer)) = actions.first else { return }
        #expect(answer.result == ["codes": []])
    }

    @Test(
        "What is no answer to it is left alone",
        arguments: [
            ("van-12/responses", #"{"id":"desk-2","state":"succeeded"}"#), ("van-12/responses", "not JSON"),
            ("van-12/responses", #"{"id":"desk-1","state":"wonderful"}"#), ("van-12/responses", "[[[[]]]]"),
            ("van-13/responses", #"{"id":"desk-1","state":"succeeded"}"#), ("van-12/responses", ""),
            ("van-12/responses/desk-2", #"{"id":"desk-1","state":"succeeded"}"#), ("van-12/responses", #"{"id":1}"#),
        ]
    )
    func foreign(path: String, payload: String) throws {
        var exchange = try Self.running()
        #expect(exchange.received(try message(path, payload), at: at(1)).isEmpty)
    }

    @Test("Who could not read the command answers it on its own topic, and nowhere else")
    func unreadable() throws {
        var exchange = try Self.running()
        let refusal = #"{"id":null,"state":"refused","reason":"malformed","message":"it is not JSON"}"#
        #expect(exchange.received(try message("van-12/responses", refusal), at: at(1)).isEmpty)
        let actions = exchange.received(try message("van-12/responses/desk-1", refusal), at: at(1))
        #expect(Self.kinds(actions) == ["end: refused"])
    }

    @Test("An unanswered command ends a moment after it has expired")
    func expires() throws {
        var exchange = try Self.running()
        #expect(exchange.passed(at: at(304.9)).isEmpty)
        #expect(Self.kinds(exchange.passed(at: at(305))) == ["unanswered, false"])
    }

    @Test("An accepted command may take longer than it was valid, but not for ever")
    func silence() throws {
        var exchange = try Self.running()
        _ = exchange.received(try message("van-12/responses", Self.response("accepted")), at: at(290))
        #expect(exchange.passed(at: at(589)).isEmpty)
        #expect(Self.kinds(exchange.passed(at: at(590))) == ["unanswered, true"])
    }

    @Test("Who does not want to wait any longer is told whether it was accepted")
    func timeout() throws {
        var exchange = try Self.running(end: at(10))
        #expect(exchange.passed(at: at(9.9)).isEmpty)
        #expect(Self.kinds(exchange.passed(at: at(10))) == ["pending, false"])
        _ = exchange.received(try message("van-12/responses", Self.response("accepted")), at: at(10))
        #expect(Self.kinds(exchange.passed(at: at(10))) == ["pending, true"])
    }

    @Test("It is told when the vehicle comes and goes")
    func availability() throws {
        var exchange = try Self.running()
        #expect(exchange.received(try message("van-12/availability", "online"), at: at(1)).isEmpty)
        #expect(Self.kinds(exchange.received(try message("van-12/availability", "offline"), at: at(2))) == ["offline"])
        #expect(exchange.received(try message("van-12/availability", "maybe"), at: at(3)).isEmpty)
        #expect(Self.kinds(exchange.received(try message("van-12/availability", "online"), at: at(4))) == ["online"])
    }

    @Test("After a lost connection the same command goes out again")
    func again() throws {
        var exchange = try Self.running()
        #expect(Self.kinds(exchange.lost(.connectionLost("test"))) == ["lost"])
        #expect(
            Self.kinds(exchange.subscribed([true, true, true, true], at: at(5))) == ["publish obd/van-12/commands"]
        )
        let answer = Self.response("succeeded", more: ",\"repeat\":true")
        #expect(Self.kinds(exchange.received(try message("van-12/responses", answer), at: at(6))) == ["end: succeeded"])
    }

    @Test("A vehicle that has come online and does not answer is asked again, ever more rarely")
    func forgotten() throws {
        var exchange = try Self.running()
        #expect(exchange.passed(at: at(60)).isEmpty)
        _ = exchange.received(try message("van-12/availability", "offline"), at: at(60))
        _ = exchange.received(try message("van-12/availability", "online"), at: at(100))
        let times = stride(from: 100.0, to: 200, by: 0.5).filter { !exchange.passed(at: at($0)).isEmpty }
        #expect(times == [103, 109, 121, 145, 193])
        _ = exchange.received(try message("van-12/responses", Self.response("accepted")), at: at(200))
        #expect(exchange.passed(at: at(299)).isEmpty)
    }

    @Test("A broker that lets one neither ask nor listen ends it")
    func forbidden() throws {
        var exchange = try Self.exchange()
        #expect(Self.kinds(exchange.subscribed([false, false, true, true], at: at(0))) == ["not readable"])
        var other = try Self.running()
        #expect(Self.kinds(other.rejected(code: 0x87)) == ["not taken 135"])
    }

    @Test("A name that can't be a topic's level is no vehicle", arguments: ["", "a/b", "+", "#", "$SYS"])
    func names(vehicle: String) {
        let command = OutgoingCommand("describe", for: vehicle, at: Timestamp(milliseconds: 0), life: .seconds(1))
        #expect(throws: TopicError.self) {
            try CommandExchange(command, payload: [], issuer: nil, topics: fleetTopics, expiry: at(1), end: nil)
        }
    }
}
