// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Subscriber

@Suite("The parts of the dashboard")
struct DashboardPartTests {
    @Test(
        "A unit is converted to the other system and back",
        arguments: [
            ("km/h", "mph", 100, 62.137), ("°C", "°F", 37, 98.6), ("kPa", "psi", 100, 14.504), ("km", "mi", 10, 6.2137),
            ("g/s", "lb/min", 10, 1.3228), ("L/h", "gal(US)/h", 10, 2.6417), ("N·m", "lb·ft", 100, 73.756),
            ("kWh/100 km", "kWh/100 mi", 15, 24.140), ("L", "gal(US)", 10, 2.6417),
        ] as [(String, String, Double, Double)]
    )
    func units(metric: String, imperial: String, number: Double, expected: Double) {
        let converted = UnitSystem.imperial.convert(number, metric)
        #expect(converted.unit == imperial && (converted.number - expected).magnitude < 0.005)
        let back = UnitSystem.metric.convert(converted.number, converted.unit)
        #expect(back.unit == metric && (back.number - number).magnitude < 1e-6)
        #expect(UnitSystem.isImperial(imperial) && !UnitSystem.isImperial(metric))
        #expect(UnitSystem.metric.convert(number, metric).number == number)
    }

    @Test("Other units stay, and an air pressure is in inches of mercury")
    func otherUnits() {
        for unit in ["", "V", "%", "rpm", "furlong"] {
            for system in UnitSystem.allCases { #expect(system.convert(3, unit) == (3, unit)) }
        }
        let air = UnitSystem.imperial.convert(101.325, "kPa", isAir: true)
        #expect(air.unit == "inHg" && (air.number - 29.92).magnitude < 0.01)
        #expect((UnitSystem.metric.convert(29.92, "inHg").number - 101.32).magnitude < 0.01)
    }

    @Test("An event comes once, the newest first, and only as many are kept as anybody reads")
    func events() {
        func event(_ seq: Int, second: Int, _ more: String = #""event": "parked""#) -> JSON {
            let time = "2026-11-21T\(10 + second / 3600):\(10 + second / 60 % 50):\(10 + second % 50).000Z"
            let text = #"""
                {"agent": "12ab", "epoch": 1, "seq": \#(seq), "clock": "synchronised", "time": "\#(time)", \#(more)}
                """#
            return JSON(payload: Array(text.utf8))
        }
        var list = EventList()
        list.receive(event(1, second: 5))
        list.receive(event(1, second: 5))
        // It waited in the agent's store.
        list.receive(event(3, second: 9))
        list.receive(event(2, second: 7, #""event": "battery_low", "voltage": 11.8"#))
        #expect(list.events.map(\.details) == ["", "11.8 V", ""])
        #expect(list.events[1].name == "12 V battery low" && list.events[1].style == .danger)
        for seq in 10..<1000 { list.receive(event(seq, second: 10)) }
        #expect(list.events.count == EventList.limit)
        list.receive(.null)
        list.receive(event(5000, second: 1, #""value": 1"#))
        #expect(list.events.count == EventList.limit)
    }

    @Test("Readiness has the open monitors, and the failed tests first")
    func readiness() throws {
        let text = #"""
            {"monitors": {"misfire": "complete", "egr": "incomplete"}, "tests": {"results": [
            {"ecu": "7E8", "test": "80", "subject": "catalyst", "value": 2, "minimum": 1, "verdict": "passed"},
            {"ecu": "7E8", "test": "0A", "monitor": "A1", "verdict": "not_run"},
            {"ecu": "7E9", "test": "81", "component": 7, "value": 9, "maximum": 4, "verdict": "failed"}]}}
            """#
        let readiness = try #require(ReadinessView(JSON(payload: Array(text.utf8))))
        #expect(readiness.open == ["EGR"])
        #expect(readiness.tests.map(\.subject) == ["component 7, test 81", "catalyst, test 80", "monitor A1, test 0A"])
        #expect(readiness.tests.map(\.figures) == ["9 (at most 4)", "2 (at least 1)", ""])
        #expect(readiness.counts.map(\.verdict) == ["failed", "passed", "not run"])
        #expect(ReadinessView(.null) == nil && ReadinessView(["monitors": 3]) == nil)
    }

    @Test("The readiness part has each ECU with its name, its software and its in-use performance")
    func ecus() throws {
        let vehicle = #"""
            {"ecus": [{"ecu": "7E8", "name": "ECM-EngineControl", "calibration_ids": ["37805-RBB"],
            "in_use_performance": {"ignition_cycles": 812, "monitors": {
            "catalyst_bank_1": {"completions": 20, "conditions": 80, "ratio": 0.25},
            "evap": {"completions": 0, "conditions": 0}}}}, {"ecu": "7E9"}, {"name": "nobody"}]}
            """#
        var dashboard = try DashboardScene.dashboard(with: [("vehicle", vehicle)])
        _ = dashboard.type(Array("4".utf8))
        let lines = dashboard.lines(at: DashboardScene.now)
        #expect(lines.contains { $0.contains("7E8") && $0.contains("ECM-EngineControl") && $0.contains("37805-RBB") })
        #expect(lines.contains { $0.contains("in 812 ignition cycles") })
        #expect(lines.contains { $0.contains("catalyst bank 1") && $0.contains("20 of 80  0.25") })
        #expect(lines.contains { $0.contains("evap") && $0.contains("0 of 0") })
        #expect(lines.contains { $0.contains("7E9") && $0.contains("no name") })
        #expect(!lines.contains { $0.contains("nobody") })
    }

    @Test("Blocks get their least lines by rank, and say what is missing")
    func blocks() {
        func block(_ part: DashboardPart, _ count: Int, least: Int = 1, most: Int = .max, rank: Int) -> Block {
            let lines = (0..<count).map { StyledLine("\(part) \($0)") }
            return Block(part, lines, least: least, most: most, rank: rank)
        }
        let blocks = [
            block(.gauges, 5, least: 2, rank: 1), block(.codes, 4, most: 2, rank: 0), block(.events, 0, rank: 2),
        ]
        #expect(Block.room(blocks, rows: 20) == [5, 4, 0])
        #expect(Block.room(blocks, rows: 8) == [5, 2, 0])
        #expect(Block.room(blocks, rows: 4) == [2, 1, 0])
        #expect(Block.room(blocks, rows: 2) == [0, 1, 0])
        #expect(Block.room(blocks, rows: 0) == [0, 0, 0])
        let lines = Block.stacked(blocks, room: [3, 1, 0]).map { $0.rendered(inColor: false) }
        #expect(lines == ["gauges 0", "gauges 1", "and 3 more: key 1", "", "codes 0"])
    }

    @Test("A code has what each ECU says, its severity and its freeze frames")
    func codes() throws {
        let text = #"""
            {"codes": [{"code": "P0301", "ecu": "7E8", "states": ["pending"], "first_seen": "2026-11-21T09:50:00.000Z"},
            {"code": "P0301", "ecu": "7E9", "states": ["stored", "test_failed"], "severity": "check_immediately",
            "first_seen": "2026-11-21T09:40:00.000Z", "freeze_frame": {"values": {"engine_speed": {"value": 812.25,
            "unit": "rpm"}}, "unread": ["fuel_level"]}}]}
            """#
        let codes = CodeView.list(JSON(payload: Array(text.utf8)))
        let code = try #require(codes.first)
        #expect(codes.count == 1 && code.isConfirmed)
        #expect(code.ecus == ["7E8 pending", "7E9 stored, test failed"] && code.severity == "check immediately")
        #expect(code.firstSeen == Timestamp("2026-11-21T09:40:00.000Z"))
        let frame = try #require(code.frames.first)
        #expect(frame.ecu == "7E9" && frame.unread == ["Fuel level"])
        #expect(frame.values.first.map { $0.value.shown(in: nil) }?.text == "812")
    }
}
