// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Contract
import FoundationEssentials
import Messages
import OBD2
import Testing

@Suite("What everyone else sees")
struct PayloadTests {
    private static let time = Timestamp(milliseconds: 1_795_255_200_120)

    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test("A response has its five keys also where they are null")
    func response() throws {
        let response = CommandResponse(id: nil, command: nil, state: .refused, reason: .malformed, time: Self.time)
        #expect(
            try Self.text(response)
                == """
                {"command":null,"id":null,"issuer":null,"reason":"malformed","repeat":false,"state":"refused",\
                "time":"2026-11-21T10:00:00.120Z"}
                """
        )
        let success = CommandResponse(
            id: "a",
            command: "describe",
            state: .succeeded,
            time: Self.time,
            repeat: true,
            result: ["mil": nil]
        )
        #expect(
            try Self.text(success)
                == """
                {"command":"describe","id":"a","issuer":null,"reason":null,"repeat":true,"result":{"mil":null},\
                "state":"succeeded","time":"2026-11-21T10:00:00.120Z"}
                """
        )
    }

    @Test("Only accepted and running have something after them")
    func finality() {
        let states: [CommandResponse.State] = [.accepted, .running, .succeeded, .failed, .refused]
        #expect(states.filter { !$0.isFinal } == [.accepted, .running])
    }

    @Test("A MIL that could not be read is left out, and is not off")
    func codes() throws {
        let report = CodesReport(time: Self.time, known: false, mil: nil, codes: [], unread: [.stored, .pending])
        #expect(
            try Self.text(report)
                == """
                {"codes":[],"known":false,"time":"2026-11-21T10:00:00.120Z","unread":["stored","pending"],"v":1}
                """
        )
        let code = CodesReport.Code(code: "P0301", ecu: "7E8", states: [.stored, .permanent], firstSeen: Self.time)
        #expect(
            try Self.text(CodesReport(time: Self.time, known: true, mil: true, codes: [code], unread: []))
                == """
                {"codes":[{"code":"P0301","ecu":"7E8","first_seen":"2026-11-21T10:00:00.120Z",\
                "states":["stored","permanent"]}],"known":true,"mil":true,"time":"2026-11-21T10:00:00.120Z",\
                "unread":[],"v":1}
                """
        )
    }

    @Test("A record is its number and its body in one object")
    func record() throws {
        var event = AgentEvent(.codeAppeared, time: Self.time, clock: .synchronised)
        (event.code, event.ecu, event.states) = ("P0301", "7E8", [.stored])
        let record = Record(number: RecordNumber(agent: "a1b2", epoch: 17, seq: 88), body: event)
        #expect(
            try Self.text(record)
                == """
                {"agent":"a1b2","clock":"synchronised","code":"P0301","ecu":"7E8","epoch":17,"event":"code_appeared",\
                "seq":88,"states":["stored"],"time":"2026-11-21T10:00:00.120Z","v":1}
                """
        )
        let numbers = RecordNumber(agent: "", epoch: .max, seq: .max)
        let edge = try Self.text(
            Record(number: numbers, body: AgentEvent(.started, time: Self.time, clock: .synchronised))
        )
        #expect(edge.contains("\"seq\":18446744073709551615"))
    }

    @Test("A value is shown in the unit that was asked for, with its meaning")
    func parameter() throws {
        func report(_ name: String, _ data: [UInt8], imperial: Bool) throws -> ParameterReport {
            let value = try #require(try Parameter.named(name)?.decode(data).first)
            return ParameterReport(value, imperial: imperial, time: Self.time, ecu: "7E8", quality: .good)
        }
        #expect(
            try Self.text(try report("engine_speed", [0x0C, 0xB2], imperial: false))
                == """
                {"ecu":"7E8","quality":"good","time":"2026-11-21T10:00:00.120Z","unit":"rpm","value":812.5}
                """
        )
        let cold = try report("coolant_temperature", [0], imperial: true)
        #expect((cold.value, cold.unit) == (.number(-40), "°F"))
        let slow = try report("vehicle_speed", [100], imperial: true)
        #expect((slow.value, slow.unit) == (.number(62.137119), "mph"))
        let fuel = try report("fuel_type", [4], imperial: true)
        #expect((fuel.value, fuel.label, fuel.unit) == (.integer(4), "diesel", nil))
    }

    @Test("Two reports say the same whenever they were read, unless value, unit, ECU or quality differ")
    func sameness() throws {
        let values = try [[0x0C, 0xB2], [0x0C, 0xB3]].map { try #require(try Parameter.named("0C")?.decode($0).first) }
        func report(_ index: Int, _ ecu: String = "7E8", _ quality: Quality = .good, _ time: Int64 = 0)
            -> ParameterReport
        {
            ParameterReport(
                values[index],
                imperial: false,
                time: Timestamp(milliseconds: time),
                ecu: ecu,
                quality: quality
            )
        }
        #expect(report(0).saysTheSame(as: report(0, "7E8", .good, 99)))
        #expect(!report(0).saysTheSame(as: report(1)))
        #expect(!report(0).saysTheSame(as: report(0, "7E9")))
        #expect(!report(0).saysTheSame(as: report(0, "7E8", .unsynchronised)))
    }

    @Test("Readiness has each monitor of the vehicle, and no other")
    func monitors() throws {
        let report = MonitorsReport(try MonitorStatus(data: [0x83, 0x07, 0x65, 0x04]), time: Self.time)
        #expect(report.mil && report.codeCount == 3 && report.ignition == "spark")
        #expect(report.monitors.count == 7)
        #expect(report.monitors.filter { $0.value == .incomplete }.map(\.key) == ["evap"])
        #expect(try Self.text(report).contains("\"code_count\":3"))
    }

    @Test("Any JSON survives a round trip, and keeps whole numbers whole")
    func json() throws {
        let values: [JSON] = [
            nil, true, 0, .integer(.min), .integer(.max), 0.5, "", "é\"\\\n\u{0}", [], [:],
            [1, [2, ["a": [nil, false]]]],
            ["": "", "a/b": 1e300, "n": nil],
        ]
        for value in values {
            let data = try JSONEncoder().encode([value])
            #expect(try JSONDecoder().decode([JSON].self, from: data) == [value])
        }
        let numbers = try JSONDecoder().decode([JSON].self, from: Data("[1, 1.5, 9223372036854775808, true]".utf8))
        #expect(numbers == [1, 1.5, 9_223_372_036_854_775_808.0, true])
        #expect(numbers.map(\.double) == [1, 1.5, 9_223_372_036_854_775_808.0, nil])
        let kinds = [nil, true, 1, 1.5, "", [], [:]].map(\JSON.kind)
        #expect(kinds == ["null", "a boolean", "a number", "a number", "a string", "an array", "an object"])
    }

    @Test(
        "Topics stand below their vehicle",
        arguments: [
            (.availability, "availability"), (.status, "status"), (.vehicle, "vehicle"), (.codes, "codes"),
            (.monitors, "monitors"), (.commands, "commands"), (.stream(.telemetry), "telemetry"),
            (.stream(.events), "events"), (.stream(.responses), "responses"),
            (.parameter("engine_speed", ecu: nil), "parameters/engine_speed"),
            (.parameter("engine_speed", ecu: "7E9"), "parameters/engine_speed/7E9"),
        ] as [(TopicPath, String)]
    )
    func topics(path: TopicPath, suffix: String) throws {
        let topics = try VehicleTopics(prefix: try Topic("fleet/obd"), vehicle: "van-12")
        #expect(try topics.topic(path).description == "fleet/obd/van-12/\(suffix)")
    }

    @Test(
        "A vehicle whose name is more than one level has no topics",
        arguments: ["", "a/b", "+", "#", "$SYS", "a\u{0}"]
    )
    func badVehicles(name: String) throws {
        let prefix = try Topic("obd")
        #expect(throws: TopicError.self) { try VehicleTopics(prefix: prefix, vehicle: name) }
    }

    @Test("Availability is a word, not JSON")
    func availability() {
        #expect(Availability.online.payload == Array("online".utf8))
        #expect(Availability.offline.payload == Array("offline".utf8))
    }
}
