// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Drive
import OBD2
import Testing

@testable import Commands

@Suite("Capturing by command")
struct CaptureTests {
    private static func order(_ arguments: String) throws -> CaptureOrder? {
        let payload = """
            {"id": "a-1", "command": "capture", "issued_at": "2026-11-21T10:00:00Z", \
            "expires_at": "2026-11-21T10:05:00Z", "arguments": \(arguments)}
            """
        guard case .capture(let order) = try CommandDecoder.decode(Array(payload.utf8)).action else { return nil }
        return order
    }

    @Test("A capture now has the usual time after it, or its own")
    func now() throws {
        #expect(try Self.order("{}") == .now(after: .seconds(30), parameters: []))
        let order = try Self.order(#"{"after": 0, "parameters": ["engine_speed", "0C", "0D"]}"#)
        #expect(order == .now(after: .zero, parameters: [0x0C, 0x0D]))
    }

    @Test("A rule waits for occasions, or for a condition that holds for a time")
    func rules() throws {
        let pattern = try #require(CodePattern("P03*"))
        let occasions = try Self.order(
            #"{"rule": {"name": "misfire", "on": ["code_appeared", "mil_on"], "codes": ["p03*"]}, "duration": 3600}"#
        )
        let expected = CaptureRule("misfire", .occasions([.codeAppeared, .milOn], codes: [pattern]))
        #expect(occasions == .rule(expected, for: .seconds(3600)))
        let condition = try Self.order(
            """
            {"rule": {"name": "hot", "when": "coolant_temperature > 115", "for": 10, "parameters": ["0C"], \
            "interval": 0.1, "after": 60}, "duration": 60}
            """
        )
        var hot = CaptureRule(
            "hot",
            .condition(try Condition("coolant_temperature > 115"), for: .seconds(10)),
            parameters: [0x0C]
        )
        (hot.interval, hot.after) = (.milliseconds(100), .seconds(60))
        #expect(condition == .rule(hot, for: .seconds(60)))
    }

    @Test(
        "What is wrong in a rule is named with its place",
        arguments: [
            (#"{"after": 121}"#, "$.arguments.after"),
            (#"{"duration": 5}"#, "$.arguments.duration"),
            (#"{"rule": {"name": "x", "on": ["mil_on"]}}"#, "$.arguments.duration"),
            (#"{"rule": {"name": "X", "on": ["mil_on"]}, "duration": 5}"#, "$.arguments.rule.name"),
            (#"{"rule": {"name": "command", "on": ["mil_on"]}, "duration": 5}"#, "$.arguments.rule.name"),
            (#"{"rule": {"name": "x"}, "duration": 5}"#, "$.arguments.rule.on"),
            (#"{"rule": {"name": "x", "on": ["mil_on"], "when": "a > 1"}, "duration": 5}"#, "$.arguments.rule.on"),
            (#"{"rule": {"name": "x", "on": []}, "duration": 5}"#, "$.arguments.rule.on"),
            (#"{"rule": {"name": "x", "on": ["mil_on", "rain"]}, "duration": 5}"#, "$.arguments.rule.on[1]"),
            (
                #"{"rule": {"name": "x", "on": ["code_appeared"], "codes": ["P03"]}, "duration": 5}"#,
                "$.arguments.rule.codes[0]"
            ),
            (
                #"{"rule": {"name": "x", "on": ["mil_on"], "codes": ["P0301"]}, "duration": 5}"#,
                "$.arguments.rule.codes"
            ),
            (#"{"rule": {"name": "x", "on": ["mil_on", "mil_on"]}, "duration": 5}"#, "$.arguments.rule.on[1]"),
            (#"{"rule": {"name": "x", "on": ["mil_on"], "codes": []}, "duration": 5}"#, "$.arguments.rule.codes"),
            (
                #"{"rule": {"name": "x", "on": ["code_appeared"], "codes": []}, "duration": 5}"#,
                "$.arguments.rule.codes"
            ),
            (
                #"{"rule": {"name": "x", "on": ["code_appeared"], "codes": ["P0301", "p0301"]}, "duration": 5}"#,
                "$.arguments.rule.codes[1]"
            ),
            (
                #"{"rule": {"name": "x", "on": ["mil_on"], "parameters": ["0C", "0D", "0C"]}, "duration": 5}"#,
                "$.arguments.rule.parameters[2]"
            ),
            (#"{"parameters": ["engine_speed", "engine_speed"]}"#, "$.arguments.parameters[1]"),
            (#"{"rule": {"name": "x", "on": ["mil_on"], "for": 5}, "duration": 5}"#, "$.arguments.rule.for"),
            (#"{"rule": {"name": "x", "when": "a >"}, "duration": 5}"#, "$.arguments.rule.when"),
            (#"{"rule": {"name": "x", "when": 7}, "duration": 5}"#, "$.arguments.rule.when"),
            (#"{"rule": {"name": "x", "when": "a > 1", "every": 1}, "duration": 5}"#, "$.arguments.rule.every"),
            (#"{"parameters": ["rain"]}"#, "$.arguments.parameters"),
        ]
    )
    func mistakes(arguments: String, place: String) {
        do {
            let order = try Self.order(arguments)
            Issue.record("\(String(describing: order)) was accepted")
        } catch let refusal as Refusal {
            #expect(refusal.reason == .badArguments && refusal.message.hasPrefix("\(place):"), "\(refusal.message)")
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test(
        "What is wrong in a rule comes with what was found, or with the next step",
        arguments: [
            (
                #""on": ["mil_on"], "when": "vehicle_speed > 1""#,
                "on: there is a condition in when too. Try: remove one of them"
            ),
            (#""when": "vehicle_speed = 40""#, "when: column 15: \"=\" is no operator. Try: =="),
            (
                #""when": "20 < vehicle_speed < 40""#,
                "when: column 20: a comparison has two sides only. Try: vehicle_speed > 20 and vehicle_speed < 40"
            ),
            (
                #""on": ["mil_on"], "after": 500"#,
                "after: expected a number of seconds from 0 to 120; found 500"
            ),
            (
                #""on": ["rain"]"#,
                "on[0]: expected one of \"code_appeared\", \"mil_on\", \"harsh_braking\", \"engine_stall\"; "
                    + "found \"rain\""
            ),
        ]
    )
    func advice(trigger: String, message: String) {
        let error = #expect(throws: Refusal.self) {
            try Self.order(#"{"rule": {"name": "x", \#(trigger)}, "duration": 5}"#)
        }
        #expect(error?.message == "$.arguments.rule.\(message)")
    }

    @Test("The vehicle gets the id of the command and its sender, and the response what was ordered")
    func executed() async throws {
        let bench = Bench()
        await bench.executor().receive(try bench.message("capture", #"{"after": 10}"#))
        #expect(bench.last?.state == .succeeded && bench.last?.result == ["after": 10.0])
        let rule = #"{"rule": {"name": "lamp", "on": ["mil_on"]}, "duration": 60}"#
        await bench.executor().receive(try bench.message("capture", rule, id: "2"))
        #expect(bench.last?.result == ["rule": "lamp", "duration": 60.0])
        #expect(bench.vehicle.asked.map(\.request) == ["capture 1 - van", "capture 2 - van"])
    }

    @Test("Without a vehicle nothing is captured")
    func notConnected() async throws {
        let bench = Bench(FakeVehicle(refusing: .notConnected("no vehicle")))
        await bench.executor().receive(try bench.message("capture"))
        #expect(bench.last?.state == .refused && bench.last?.reason == .notConnected)
    }

    @Test("An observer may not capture")
    func role() { #expect(CommandName.capture.role == .specialist) }
}
