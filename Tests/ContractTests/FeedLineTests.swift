// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Testing

@Suite("Lines of the agent's feed")
struct FeedLineTests {
    private static func text(_ line: FeedLine) -> String { String(decoding: line.bytes, as: UTF8.self) }

    private static func message(_ path: String, _ payload: String, isRetained: Bool = true) -> FeedLine {
        .message(path: path, isRetained: isRetained, payload: Array(payload.utf8))
    }

    @Test("A line is a JSON object, with the payload as it is published over MQTT")
    func forms() throws {
        let greeting = FeedGreeting(agent: "a1b2", prefix: try Topic("obd"), vehicle: "van \"12\"")
        let first = #"{"agent":"a1b2","heartbeat":5,"prefix":"obd","v":1,"vehicle":"van \"12\""}"#
        #expect(Self.text(.greeting(greeting)) == first + "\n")
        let status = Self.text(Self.message("status", #"{"link":"connected"}"#))
        #expect(status == #"{"path":"status","retained":true,"payload":{"link":"connected"}}"# + "\n")
        let online = Self.text(Self.message("availability", "online", isRetained: false))
        #expect(online == #"{"path":"availability","retained":false,"payload":"online"}"# + "\n")
        let removed = Self.text(Self.message("parameters/engine_speed", ""))
        #expect(removed == #"{"path":"parameters/engine_speed","retained":true,"payload":null}"# + "\n")
        #expect(Self.text(.heartbeat) == #"{"heartbeat":true}"# + "\n")
        #expect(Self.text(.end(.slow)) == #"{"end":"slow"}"# + "\n")
    }

    @Test("Each line reads as what it was")
    func roundTrip() throws {
        let lines: [FeedLine] = [
            .greeting(FeedGreeting(agent: "a1b2", prefix: try Topic("fleet/obd"), vehicle: "van")),
            .greeting(FeedGreeting(agent: "a1b2", prefix: try Topic("obd"), vehicle: "van", heartbeat: nil)),
            .heartbeat,
            Self.message("availability", "offline", isRetained: false), Self.message("codes", ""),
            Self.message("parameters/speed/7E9", #"{"unit":"km/h","value":75}"#),
        ]
        for line in lines + FeedEnd.allCases.map({ .end($0) }) {
            #expect(line.bytes.last == FeedLine.newline && line.bytes.filter { $0 == FeedLine.newline }.count == 1)
            #expect(FeedLine(parsing: line.bytes.dropLast()) == line)
        }
    }

    @Test(
        "What is no such line is none",
        arguments: [
            "", "{", "[]", "7", #"{"v":2}"#, #"{"agent":"a","prefix":"obd"}"#,
            #"{"agent":"a","prefix":"+","vehicle":"v"}"#,
            #"{"agent":"a","prefix":"obd","vehicle":"van/status"}"#, #"{"path":7}"#,
            String(repeating: "[", count: 40) + String(repeating: "]", count: 40),
        ]
    )
    func strangers(text: String) {
        #expect(FeedLine(parsing: Array(text.utf8)) == nil)
    }

    @Test("A reason of a later version is one")
    func laterReason() {
        #expect(FeedLine(parsing: Array(#"{"end":"moved"}"#.utf8)) == .end(.other))
    }
}
