// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import MQTT
import Remote
import Testing

@testable import Subscriber

@Suite("The exchange of a command and its responses")
struct CommandExchangeTests {
    private typealias Action = CommandExchange.Action

    /// Creates an exchange for a command that is issued at 0 s and valid for 300 s.
    private static func exchange(end: MonotonicTime? = nil) throws -> CommandExchange {
        let command = OutgoingCommand(
            "read_codes",
            for: "van-12",
            at: Timestamp(milliseconds: 0),
            validity: .seconds(300),
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

    /// Creates an exchange whose command has been sent to a vehicle that is online.
    private static func running(end: MonotonicTime? = nil) throws -> CommandExchange {
        var exchange = try Self.exchange(end: end)
        _ = exchange.subscriptionAnswered([true, true, true, true], at: at(0))
        _ = exchange.messageReceived(try message("van-12/availability", "online"), at: at(0))
        _ = exchange.messageReceived(try message("van-12/status", "{\"link\":\"connected\"}"), at: at(0))
        return exchange
    }

    private static func kinds(_ actions: [Action]) -> [String] {
        actions.map { action in
            switch action {
            case .publish(let message): "publish \(message.topic)"
            case .unsubscribe(let filters): "unsubscribe \(filters)"
            case .report(.sending(let picture)): "sending, \(picture.availability?.rawValue ?? "unknown")"
            case .report(.availability(let availability)): availability.rawValue
            case .report(.response(let answer)): answer.state.rawValue
            case .report(.waiting(let answer, let wait)): "\(answer.state.rawValue), again in \(TimeSpan(wait))"
            case .report(.unverifiedRefusal(let answer)): "unverified: \(answer.state.rawValue)"
            case .report(.connectionLost): "lost"
            case .finish(.answered(let answer)): "end: \(answer.state.rawValue)"
            case .finish(.refusedOnReturn): "came too early"
            case .finish(.unanswered(let isAccepted)): "unanswered, \(isAccepted)"
            case .finish(.pending(let isAccepted)): "pending, \(isAccepted)"
            case .finish(.unsent): "not sent"
            case .finish(.responsesForbidden): "not readable"
            case .finish(.commandRejected(let code)): "not taken \(code)"
            }
        }
    }

    @Test(
        "A command that an agent refuses as busy is sent again with the same id",
        arguments: ["busy", "rate_limited"]
    )
    func retry(reason: String) throws {
        var exchange = try Self.running()
        let refused = Self.response("refused", more: ",\"reason\":\"\(reason)\"")
        #expect(
            Self.kinds(exchange.messageReceived(try message("van-12/responses", refused), at: at(1))) == ["refused"]
        )
        #expect(exchange.timePassed(at: at(3.9)).isEmpty)
        #expect(Self.kinds(exchange.timePassed(at: at(4))) == ["publish obd/van-12/commands"])
        let end = Self.response("succeeded", seq: 2)
        #expect(
            Self.kinds(exchange.messageReceived(try message("van-12/responses", end), at: at(5))) == ["end: succeeded"]
        )
    }

    @Test("A command for which the agent has no room is sent again once, after the time that the agent tells")
    func room() throws {
        var exchange = try Self.running(end: at(60))
        let refused = Self.response("refused", more: #","reason":"rate_limited","retry_after":31"#)
        #expect(
            Self.kinds(exchange.messageReceived(try message("van-12/responses", refused), at: at(1)))
                == ["refused, again in 31s"]
        )
        let times = stride(from: 1.0, to: 34, by: 0.5).filter { !exchange.timePassed(at: at($0)).isEmpty }
        #expect(times == [32])
        // The time that is left is too short for the next one.
        let next = Self.response("refused", seq: 2, more: #","reason":"rate_limited","retry_after":30"#)
        #expect(
            Self.kinds(exchange.messageReceived(try message("van-12/responses", next), at: at(33))) == ["end: refused"]
        )
        // Without --timeout the expiry of the command counts.
        exchange = try Self.running()
        let long = Self.response("refused", more: #","reason":"rate_limited","retry_after":300"#)
        #expect(
            Self.kinds(exchange.messageReceived(try message("van-12/responses", long), at: at(1))) == ["end: refused"]
        )
    }

    @Test("A wait that ends before the agent has room ends with its refusal")
    func noRoom() throws {
        var exchange = try Self.running(end: at(10))
        let refused = Self.response("refused", more: #","reason":"busy""#)
        _ = exchange.messageReceived(try message("van-12/responses", refused), at: at(1))
        _ = exchange.timePassed(at: at(4))
        #expect(Self.kinds(exchange.timePassed(at: at(10))) == ["end: refused"])
    }

    @Test("A result that was left out is asked for again under the same id, if there is time and will be room")
    func leftOut() throws {
        var exchange = try Self.running()
        _ = exchange.messageReceived(try message("van-12/responses", Self.response("accepted")), at: at(1))
        let missing = #","reason":"result_left_out","message":"The result was left out.""#
        let later = Self.response("succeeded", seq: 2, more: missing + #","retry_after":20"#)
        #expect(
            Self.kinds(exchange.messageReceived(try message("van-12/responses", later), at: at(2)))
                == ["succeeded, again in 20s"]
        )
        #expect(Self.kinds(exchange.timePassed(at: at(22))) == ["publish obd/van-12/commands"])
        var copy = exchange
        let end = Self.response("succeeded", seq: 3, more: #","repeat":true,"result":{"codes":[]}"#)
        let actions = copy.messageReceived(try message("van-12/responses", end), at: at(23))
        #expect(Self.kinds(actions) == ["end: succeeded"])
        let never = Self.response("succeeded", seq: 3, more: missing)
        let last = exchange.messageReceived(try message("van-12/responses", never), at: at(23))
        #expect(Self.kinds(last) == ["end: succeeded"])
        guard case .finish(.answered(let answer)) = last.first else { return }
        #expect(answer.isResultLeftOut && answer.advice?.contains("--signing-key") == true)
    }

    @Test(
        "A delay that no agent tells is none",
        arguments: ["0", "-5", "1e9", "\"31\"", "null"]
    )
    func delay(text: String) {
        let payload = Self.response("refused", more: ",\"reason\":\"rate_limited\",\"retry_after\":\(text)")
        #expect(ReceivedResponse(Array(payload.utf8))?.retryAfter == nil)
    }

    @Test(
        "A refusal that the agent keeps ends the exchange at once: its answer to this id never changes",
        arguments: [",\"reason\":\"no_room\"", ",\"reason\":\"busy\",\"repeat\":true"]
    )
    func keptRefusal(more: String) throws {
        var exchange = try Self.running()
        let accepted = Self.response("accepted")
        #expect(
            Self.kinds(exchange.messageReceived(try message("van-12/responses", accepted), at: at(1))) == ["accepted"]
        )
        let refused = Self.response("refused", seq: 2, more: more)
        #expect(
            Self.kinds(exchange.messageReceived(try message("van-12/responses", refused), at: at(1))) == [
                "end: refused"
            ]
        )
    }

    @Test("A refusal for lack of the vehicle right after the agent was offline has an outcome of its own")
    func refusedOnReturn() throws {
        let refused = Self.response("refused", more: ",\"reason\":\"not_connected\"")
        var exchange = try Self.running()
        #expect(
            Self.kinds(exchange.messageReceived(try message("van-12/responses", refused), at: at(1))) == [
                "end: refused"
            ]
        )
        exchange = try Self.running()
        _ = exchange.messageReceived(try message("van-12/availability", "offline"), at: at(1))
        _ = exchange.messageReceived(try message("van-12/availability", "online"), at: at(60))
        #expect(
            Self.kinds(exchange.messageReceived(try message("van-12/responses", refused), at: at(61))) == [
                "came too early"
            ]
        )
        exchange = try Self.exchange()
        _ = exchange.subscriptionAnswered([true, true, true, true], at: at(0))
        _ = exchange.messageReceived(try message("van-12/availability", "offline"), at: at(0))
        _ = exchange.messageReceived(try message("van-12/status", "{\"link\":\"connected\"}"), at: at(0))
        let other = Self.response("refused", more: ",\"reason\":\"not_allowed\"")
        var copy = exchange
        #expect(
            Self.kinds(copy.messageReceived(try message("van-12/responses", other), at: at(61))) == ["end: refused"]
        )
        #expect(
            Self.kinds(exchange.messageReceived(try message("van-12/responses", refused), at: at(61))) == [
                "came too early"
            ]
        )
    }

    @Test("The command is sent once the state of the vehicle is known")
    func knownState() throws {
        var exchange = try Self.exchange()
        #expect(exchange.subscriptionAnswered([true, true, true, true], at: at(0)).isEmpty)
        #expect(exchange.messageReceived(try message("van-12/availability", "offline"), at: at(0.1)).isEmpty)
        let actions = exchange.messageReceived(
            try message("van-12/status", "{\"time\":\"2026-11-21T10:00:00Z\"}"),
            at: at(0.2)
        )
        #expect(Self.kinds(actions) == ["sending, offline", "publish obd/van-12/commands"])
        guard case .report(.sending(let picture)) = actions.first, case .publish(let message) = actions.last else {
            return
        }
        #expect(picture.lastSeen == Timestamp("2026-11-21T10:00:00Z"))
        #expect(message.qos == .atLeastOnce && !message.retain && message.properties.expiry == 300)
        #expect(message.properties.responseTopic?.description == "obd/van-12/responses/desk-1")
    }

    @Test("Without a state of the vehicle, the command is sent after half a second")
    func unknown() throws {
        var exchange = try Self.exchange()
        #expect(exchange.timePassed(at: at(0)).isEmpty)
        #expect(exchange.subscriptionAnswered([false, true, false, false], at: at(1)).isEmpty)
        #expect(exchange.timePassed(at: at(1.4)).isEmpty)
        #expect(Self.kinds(exchange.timePassed(at: at(1.5))) == ["sending, unknown", "publish obd/van-12/commands"])
        #expect(exchange.timePassed(at: at(1.6)).isEmpty)
    }

    @Test("Each response is reported once, although it comes on two topics, and the final one ends the exchange")
    func answers() throws {
        var exchange = try Self.running()
        let accepted = Self.response("accepted")
        #expect(
            Self.kinds(exchange.messageReceived(try message("van-12/responses/desk-1", accepted), at: at(1))) == [
                "accepted"
            ]
        )
        #expect(exchange.messageReceived(try message("van-12/responses", accepted), at: at(1)).isEmpty)
        let running = Self.response("running", seq: 2, more: ",\"message\":\"reading freeze frames\"")
        #expect(
            Self.kinds(exchange.messageReceived(try message("van-12/responses", running), at: at(2))) == ["running"]
        )
        let end = Self.response("succeeded", seq: 3, more: ",\"result\":{\"codes\":[]}")
        let actions = exchange.messageReceived(try message("van-12/responses", end), at: at(3))
        #expect(Self.kinds(actions) == ["end: succeeded"])
        guard case .finish(.answered(let answer)) = actions.first else { return }
        #expect(answer.result == ["codes": []])
    }

    @Test(
        "Messages that are no response to the command are ignored",
        arguments: [
            ("van-12/responses", #"{"id":"desk-2","state":"succeeded"}"#), ("van-12/responses", "not JSON"),
            ("van-12/responses", #"{"id":"desk-1","state":"wonderful"}"#), ("van-12/responses", "[[[[]]]]"),
            ("van-13/responses", #"{"id":"desk-1","state":"succeeded"}"#), ("van-12/responses", ""),
            ("van-12/responses/desk-2", #"{"id":"desk-1","state":"succeeded"}"#), ("van-12/responses", #"{"id":1}"#),
        ]
    )
    func foreign(path: String, payload: String) throws {
        var exchange = try Self.running()
        #expect(exchange.messageReceived(try message(path, payload), at: at(1)).isEmpty)
    }

    @Test("A response without an id counts only on the command's own topic")
    func unreadable() throws {
        var exchange = try Self.running()
        let refusal = #"{"id":null,"state":"refused","reason":"malformed","message":"it is not JSON"}"#
        #expect(exchange.messageReceived(try message("van-12/responses", refusal), at: at(1)).isEmpty)
        let actions = exchange.messageReceived(try message("van-12/responses/desk-1", refusal), at: at(1))
        #expect(Self.kinds(actions) == ["end: refused"])
    }

    @Test("An unanswered command ends five seconds after its expiry")
    func expires() throws {
        var exchange = try Self.running()
        #expect(exchange.timePassed(at: at(304.9)).isEmpty)
        #expect(Self.kinds(exchange.timePassed(at: at(305))) == ["unanswered, false"])
    }

    @Test("An accepted command may outlast its expiry, until there was no response for 300 seconds")
    func silence() throws {
        var exchange = try Self.running()
        _ = exchange.messageReceived(try message("van-12/responses", Self.response("accepted")), at: at(290))
        #expect(exchange.timePassed(at: at(589)).isEmpty)
        #expect(Self.kinds(exchange.timePassed(at: at(590))) == ["unanswered, true"])
    }

    @Test("At the end of the wait, the outcome has whether the command was accepted")
    func timeout() throws {
        var exchange = try Self.running(end: at(10))
        #expect(exchange.timePassed(at: at(9.9)).isEmpty)
        #expect(Self.kinds(exchange.timePassed(at: at(10))) == ["pending, false"])
        _ = exchange.messageReceived(try message("van-12/responses", Self.response("accepted")), at: at(10))
        #expect(Self.kinds(exchange.timePassed(at: at(10))) == ["pending, true"])
    }

    @Test("A command is not sent if the broker does not answer the subscription", arguments: [nil, at(10)])
    func unsent(end: MonotonicTime?) throws {
        var exchange = try Self.exchange(end: end)
        let time = end ?? at(300)
        #expect(exchange.timePassed(at: time - .milliseconds(100)).isEmpty)
        #expect(Self.kinds(exchange.timePassed(at: time)) == ["not sent"])
        #expect(Self.kinds(exchange.stopRequested()) == ["not sent"])
    }

    @Test("Changes of the availability are reported")
    func availability() throws {
        var exchange = try Self.running()
        #expect(exchange.messageReceived(try message("van-12/availability", "online"), at: at(1)).isEmpty)
        #expect(
            Self.kinds(exchange.messageReceived(try message("van-12/availability", "offline"), at: at(2))) == [
                "offline"
            ]
        )
        #expect(exchange.messageReceived(try message("van-12/availability", "maybe"), at: at(3)).isEmpty)
        #expect(
            Self.kinds(exchange.messageReceived(try message("van-12/availability", "online"), at: at(4))) == ["online"]
        )
    }

    @Test("After a lost connection the same command is sent again")
    func reconnect() throws {
        var exchange = try Self.running()
        #expect(Self.kinds(exchange.connectionLost(.connectionLost("test"))) == ["lost"])
        #expect(
            Self.kinds(exchange.subscriptionAnswered([true, true, true, true], at: at(5))) == [
                "publish obd/van-12/commands"
            ]
        )
        let answer = Self.response("succeeded", more: ",\"repeat\":true")
        #expect(
            Self.kinds(exchange.messageReceived(try message("van-12/responses", answer), at: at(6))) == [
                "end: succeeded"
            ]
        )
    }

    @Test("To a vehicle that comes online without answering, the command is sent again at doubling intervals")
    func forgotten() throws {
        var exchange = try Self.running()
        #expect(exchange.timePassed(at: at(60)).isEmpty)
        _ = exchange.messageReceived(try message("van-12/availability", "offline"), at: at(60))
        _ = exchange.messageReceived(try message("van-12/availability", "online"), at: at(100))
        let times = stride(from: 100.0, to: 200, by: 0.5).filter { !exchange.timePassed(at: at($0)).isEmpty }
        #expect(times == [103, 109, 121, 145, 193])
        _ = exchange.messageReceived(try message("van-12/responses", Self.response("accepted")), at: at(200))
        #expect(exchange.timePassed(at: at(299)).isEmpty)
    }

    @Test("Without the permission to read responses or to send commands, the exchange ends")
    func forbidden() throws {
        var exchange = try Self.exchange()
        #expect(Self.kinds(exchange.subscriptionAnswered([false, false, true, true], at: at(0))) == ["not readable"])
        var other = try Self.running()
        #expect(Self.kinds(other.publishRejected(code: 0x87)) == ["not taken 135"])
    }

    @Test("A vehicle's name must be a valid topic level", arguments: ["", "a/b", "+", "#", "$SYS"])
    func names(vehicle: String) {
        let command = OutgoingCommand("describe", for: vehicle, at: Timestamp(milliseconds: 0), validity: .seconds(1))
        #expect(throws: TopicError.self) {
            try CommandExchange(command, payload: [], issuer: nil, topics: fleetTopics, expiry: at(1), end: nil)
        }
    }
}
