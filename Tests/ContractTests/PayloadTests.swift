// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import FoundationEssentials
import OBD2
import Testing

@Suite("Payloads and topics")
struct PayloadTests {
    private static let time = Timestamp(milliseconds: 1_795_255_200_120)

    static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test("A response always has its five keys, with null for a missing value")
    func response() throws {
        let response = CommandResponse(id: nil, command: nil, state: .refused, reason: .malformed)
        #expect(
            try Self.text(response)
                == """
                {"command":null,"id":null,"issuer":null,"reason":"malformed","repeat":false,"state":"refused"}
                """
        )
        let success = CommandResponse(
            id: "a",
            command: "describe",
            state: .succeeded,
            repeat: true,
            result: ["mil": .null]
        )
        #expect(
            try Self.text(success)
                == """
                {"command":"describe","id":"a","issuer":null,"reason":null,"repeat":true,"result":{"mil":null},\
                "state":"succeeded"}
                """
        )
    }

    @Test("A response survives a round trip, and other JSON is not a response")
    func responseRoundTrip() throws {
        for response in [
            CommandResponse(id: nil, command: nil, state: .refused, reason: .malformed, message: "no"),
            CommandResponse(
                id: "a",
                command: "describe",
                state: .succeeded,
                issuer: "desk",
                issuedAt: Self.time,
                expiresAt: Self.time + .milliseconds(60_500),
                repeat: true,
                result: ["b": [1]]
            ),
            CommandResponse(id: "b", command: "clear_codes", state: .accepted),
        ] {
            let bytes = Array(try Self.text(response).utf8)
            #expect(CommandResponse(try JSON(parsing: bytes, depthLimit: 9)) == response)
        }
        for json in [.null, [:], ["state": 1], ["state": "lost"], []] as [JSON] {
            #expect(CommandResponse(json) == nil)
        }
    }

    @Test("The first response to a decoded command is durable, unless the state is running")
    func durability() {
        var response = CommandResponse(id: "a", command: "describe", state: .refused, reason: .badSignature)
        #expect(!response.isDurable)
        response.issuedAt = Self.time
        for state in CommandResponse.State.allCases {
            response.state = state
            #expect(response.isDurable == (state != .running))
        }
        (response.state, response.repeat) = (.succeeded, true)
        #expect(!response.isDurable)
    }

    @Test("Only accepted and running are followed by another response")
    func finality() {
        let states: [CommandResponse.State] = [.accepted, .running, .succeeded, .failed, .refused]
        #expect(states.filter { !$0.isFinal } == [.accepted, .running])
    }

    @Test("A MIL that could not be read is left out instead of false")
    func codes() throws {
        let report = CodesReport(time: Self.time, known: false, mil: nil, codes: [], unread: [.stored, .pending])
        #expect(
            try Self.text(report)
                == """
                {"codes":[],"freeze_frames":{},"known":false,"not_supported":[],"time":"2026-11-21T10:00:00.120Z","unread":["stored","pending"],"v":1}
                """
        )
        let code = CodesReport.Code(code: "P0301", ecu: "7E8", states: [.stored, .permanent], firstSeen: Self.time)
        #expect(
            try Self.text(CodesReport(time: Self.time, known: true, mil: true, codes: [code], unread: []))
                == """
                {"codes":[{"code":"P0301","ecu":"7E8","first_seen":"2026-11-21T10:00:00.120Z",\
                "states":["stored","permanent"]}],"freeze_frames":{},"known":true,"mil":true,"not_supported":[],"time":"2026-11-21T10:00:00.120Z",\
                "unread":[],"v":1}
                """
        )
    }

    @Test("A code has its severity as a word and its class as a number")
    func severity() throws {
        var code = CodesReport.Code(code: "P0301-1F", ecu: "7E8", states: [.stored], firstSeen: Self.time)
        (code.severity, code.severityClass) = (.checkAtNextHalt, 2)
        #expect(
            try Self.text(CodesReport(time: Self.time, known: true, mil: true, codes: [code], unread: []))
                .contains(#""severity":"check_at_next_halt","severity_class":2,"states":["stored"]"#)
        )
    }

    @Test("A record has its number, its date and its body in one object")
    func record() throws {
        var event = AgentEvent(.codeAppeared)
        (event.code, event.ecu, event.states) = ("P0301", "7E8", [.stored])
        var header = RecordHeader(
            number: RecordNumber(agent: "a1b2", epoch: 17, seq: 88),
            time: Self.time,
            clock: .synchronised,
            boot: "b-1"
        )
        let payload = header.payload(of: .events, body: Array(try Self.text(event).utf8))
        #expect(
            String(decoding: payload ?? [], as: UTF8.self)
                == """
                {"v":1,"agent":"a1b2","epoch":17,"seq":88,"clock":"synchronised","time":"2026-11-21T10:00:00.120Z",\
                "code":"P0301","ecu":"7E8","event":"code_appeared","states":["stored"]}
                """
        )
        header.number = RecordNumber(agent: "", epoch: .max, seq: .max)
        header.clock = .unsynchronised
        header.boot = "a\"b\\c\n"
        let telemetry = try #require(header.payload(of: .telemetry, body: Array("{\"series\":{}}".utf8)))
        let max = "18446744073709551615"
        #expect(
            String(decoding: telemetry, as: UTF8.self)
                == """
                {"v":1,"agent":"","epoch":\(max),"seq":\(max),"clock":"unsynchronised","boot":"abc",\
                "t0":"2026-11-21T10:00:00.120Z","series":{}}
                """
        )
    }

    @Test(
        "A body that is not a JSON object with a member gives no record",
        arguments: ["", "{}", "{", "[1,2]", "null", "{\"a\":1"]
    )
    func noRecord(body: String) {
        let number = RecordNumber(agent: "a", epoch: 1, seq: 1)
        let header = RecordHeader(number: number, time: Self.time, clock: .synchronised, boot: "b")
        #expect(header.payload(of: .events, body: Array(body.utf8)) == nil)
    }

    @Test("A value is reported in the requested unit and with its label")
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

    @Test("A configured dead band replaces the default, greater or smaller, and is metric")
    func deadBand() throws {
        func report(_ speed: UInt8, _ deadBand: Double?, imperial: Bool = false) throws -> ParameterReport {
            let value = try #require(try Parameter.named("0D")?.decode([speed]).first)
            let time = Timestamp(milliseconds: 0)
            return ParameterReport(
                value,
                imperial: imperial,
                time: time,
                ecu: "7E8",
                quality: .good,
                deadBand: deadBand
            )
        }
        for (to, deadBand, isSignificant) in [
            (UInt8(101), nil, true), (101, 2, false), (104, 5, false), (105, 5, true), (95, 5, true), (101, 0, true),
            (100, 0, false), (101, 1, true),
        ] as [(UInt8, Double?, Bool)] {
            let published = try report(100, deadBand, imperial: true)
            let newer = try report(to, deadBand, imperial: true)
            #expect(newer.differsSignificantly(from: published) == isSignificant, "\(to), \(deadBand ?? -1)")
        }
    }

    @Test("A change of unit, ECU or quality is significant; a change of time alone is not")
    func significance() throws {
        let value = try #require(try Parameter.named("0C")?.decode([0x0C, 0xB2]).first)
        func report(_ ecu: String = "7E8", _ quality: Quality = .good, imperial: Bool = false, _ time: Int64 = 0)
            -> ParameterReport
        {
            let time = Timestamp(milliseconds: time)
            return ParameterReport(value, imperial: imperial, time: time, ecu: ecu, quality: quality)
        }
        #expect(!report("7E8", .good, 99).differsSignificantly(from: report()))
        #expect(report("7E9").differsSignificantly(from: report()))
        #expect(report("7E8", .unsynchronised).differsSignificantly(from: report()))
        let speed = try #require(try Parameter.named("0D")?.decode([50]).first)
        let reports = [true, false].map { imperial in
            ParameterReport(speed, imperial: imperial, time: .init(milliseconds: 0), ecu: "7E8", quality: .good)
        }
        #expect(reports[0].differsSignificantly(from: reports[1]))
    }

    @Test(
        "A change is significant from 2 % of the value or 1/500 of the range on, and from one step on",
        arguments: [
            // The range is 0 to 16383.75 rpm: the dead band is 2 % of 800, then 1/500 of the range.
            ("0C", 800, 815.75, false), ("0C", 800, 816, true), ("0C", 800, 784.25, false), ("0C", 800, 784, true),
            ("0C", 5000, 5032.5, false), ("0C", 5000, 5033, true),
            // One step is more than 2 %.
            ("0C", 0, 0.25, true), ("0D", 20, 21, true), ("0D", 200, 201, true), ("05", 90, 91, true),
            // One step is 0.05 L/h; 1/500 of the range would be 6.
            ("5E", 4, 4.05, false), ("5E", 4, 4.1, true),
            ("42", 14.1, 14.2, false), ("42", 14.1, 14.3, true),
        ] as [(String, Double, Double, Bool)]
    )
    func deadBand(parameter: String, before: Double, after: Double, isSignificant: Bool) throws {
        let field = try #require(Parameter.named(parameter)?.fields.first)
        let reports = [before, after].map {
            ParameterReport(
                FieldValue(field: field, value: .number($0)),
                imperial: false,
                time: Timestamp(milliseconds: 0),
                ecu: "7E8",
                quality: .good
            )
        }
        #expect(reports[1].differsSignificantly(from: reports[0]) == isSignificant)
        #expect(!reports[0].differsSignificantly(from: reports[0]))
    }

    @Test("Readiness has each monitor of the vehicle and no other")
    func monitors() throws {
        let engine = try MonitorStatus(data: [0x83, 0x07, 0x65, 0x04])
        let gearbox = try MonitorStatus(data: [0x01, 0x08, 0, 0])
        let report = try #require(MonitorsReport(["7E8": engine, "7E9": gearbox], time: Self.time))
        #expect(report.mil && report.codeCount == 4 && report.ignition == "spark")
        #expect(report.ecus["7E8"]?.codeCount == 3 && report.ecus["7E9"]?.mil == false)
        #expect(report.ecus["7E9"]?.monitors.isEmpty == true && MonitorsReport([:], time: Self.time) == nil)
        #expect(report.monitors.count == 7)
        #expect(report.monitors.filter { $0.value == .incomplete }.map(\.key) == ["evap"])
        #expect(try Self.text(report).contains("\"code_count\":4"))
    }

    @Test("JSON survives a round trip, and integers stay integers")
    func json() throws {
        let values: [JSON] = [
            .null, true, 0, .integer(.min), .integer(.max), 0.5, "", "é\"\\\n\u{0}", [], [:],
            [1, [2, ["a": [.null, false]]]],
            ["": "", "a/b": 1e300, "n": .null],
        ]
        for value in values {
            let data = try JSONEncoder().encode([value])
            #expect(try JSON(parsing: Array(data), depthLimit: 9) == [value])
        }
        let numbers: [JSON] = [1, 1.5, 9_223_372_036_854_775_808.0, true]
        #expect(try JSON(parsing: Array("[1, 1.5, 9223372036854775808, true]".utf8), depthLimit: 1) == .array(numbers))
        #expect(numbers.map(\.double) == [1, 1.5, 9_223_372_036_854_775_808.0, nil])
        let kinds = [JSON.null, true, 1, 1.5, "", [], [:]].map(\JSON.kind)
        #expect(kinds == ["null", "a boolean", "a number", "a number", "a string", "an array", "an object"])
    }

    @Test("A limit without known values has no state")
    func limits() throws {
        let report = LimitsReport(
            time: Self.time,
            limits: [
                "hot": .init(when: "coolant_temperature > 115", exceeded: true, since: Self.time),
                "low": .init(when: "fuel_level < 10", exceeded: nil, since: nil),
            ]
        )
        #expect(
            try Self.text(report)
                == """
                {"limits":{"hot":{"exceeded":true,"since":"\(Self.time)","when":"coolant_temperature > 115"},\
                "low":{"when":"fuel_level < 10"}},"time":"\(Self.time)","v":1}
                """
        )
    }

    @Test("The events of a limit have the limit and its values")
    func limitEvent() throws {
        var event = AgentEvent(.limitExceeded)
        event.limit = LimitEvent(name: "low", when: "fuel_level < 10", values: ["fuel_level": 9.5])
        #expect(
            try Self.text(event)
                == #"{"event":"limit_exceeded","limit":{"name":"low","values":{"fuel_level":9.5},"when":"fuel_level < 10"}}"#
        )
    }

    @Test(
        "A topic begins with the prefix and the vehicle",
        arguments: [
            (.availability, "availability"), (.status, "status"), (.vehicle, "vehicle"), (.codes, "codes"),
            (.monitors, "monitors"), (.trip, "trip"), (.limits, "limits"), (.commands, "commands"),
            (.button("read_codes"), "commands/read_codes"),
            (.stream(.telemetry), "telemetry"),
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
        "A name that is not one level of a topic is an error",
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
