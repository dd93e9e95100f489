// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import FoundationEssentials
import Testing

@testable import Remote
@testable import Subscriber

@Suite struct DashboardTests {
    /// 2026-11-21T10:00:00Z.
    private static let now = Timestamp(milliseconds: 1_795_255_200_000)

    /// Returns the dashboard of a driving car with a petrol engine, after several values of its parameters.
    private static func dashboard(
        columns: Int,
        rows: Int = 24,
        isColored: Bool = false,
        fuel: String = "gasoline"
    ) throws -> Dashboard {
        var dashboard = Dashboard(
            fleetTopics,
            vehicle: "van-12",
            size: .init(columns: columns, rows: rows),
            isColored: isColored
        )
        func receive(_ path: String, _ payload: String) throws {
            dashboard.receive(try message("van-12/\(path)", payload))
        }
        func receive(_ name: String, _ value: Double, _ unit: String) throws {
            try receive("parameters/\(name)", #"{"value": \#(value), "unit": "\#(unit)", "ecu": "7E8"}"#)
        }
        try receive("availability", "online")
        try receive("status", #"{"link": "connected", "vehicle_confirmed": true, "adapter": {"voltage": 14.2}}"#)
        try receive(
            "codes",
            #"{"known": true, "mil": true, "codes": [{"code": "P0301", "description": "Misfire in cylinder 1"}]}"#
        )
        try receive("parameters/fuel_type", #"{"value": 1, "label": "\#(fuel)", "ecu": "7E8"}"#)
        try receive("vehicle_speed", 62, "km/h")
        try receive("engine_speed", 4250, "rpm")
        try receive("coolant_temperature", 117, "°C")
        try receive("fuel_level", 8.6, "%")
        try receive("intake_manifold_pressure", 35, "kPa")
        for step in 0..<20 { try receive("engine_load", Double(step * step % 37), "%") }
        return dashboard
    }

    @Test("The dashboard has its golden layout at 80 and at 40 columns", arguments: [80, 40])
    func golden(columns: Int) throws {
        let lines = try Self.dashboard(columns: columns).lines(at: Self.now)
        #expect(lines.count == 24)
        #expect(lines.allSatisfy { Cells.width($0) <= columns && !$0.contains("\u{1B}") })
        let text = lines.map { line in
            line.lastIndex { $0 != " " }.map { String(line[...$0]) } ?? ""
        }
        #expect(text.joined(separator: "\n") == (columns == 80 ? Self.wide : Self.small))
    }

    private static let wide = """
        van-12                                                   connected  10:00:00 UTC

        Speed         62.0 km/h   █████████████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
        Engine        4250 rpm    █████████████████████████████████░░░░░░░░░░░░░░░░░░░░░
        Coolant        117 °C     █████████████████████████████████████████████████░░░░░
        Boost        -66.3 kPa    ████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
        Fuel           8.6 %      █████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
        Battery       14.2 V      ██████████████████████████████████████░░░░░░░░░░░░░░░░

        Lamp      ● on   1 code
        P0301     Misfire in cylinder 1

        engine_load                       28.0 %      ▁▁▁▂▄▆█▃▆▂▆▃█▅▃▁█▇▇▇
        fuel_type                       gasoline
        intake_manifold_pressure          35.0 kPa    ▄








        q quit  p parameters  ↑↓ scroll
        """
    private static let small = """
        van-12                         connected

        Speed     62.0 km/h  ██████░░░░░░░░░░░░░
        Engine    4250 rpm   ████████████░░░░░░░
        Coolant    117 °C    █████████████████░░
        Boost    -66.3 kPa   █░░░░░░░░░░░░░░░░░░
        Fuel       8.6 %     ██░░░░░░░░░░░░░░░░░
        Battery   14.2 V     █████████████░░░░░░

        Lamp    ● on   1 code
        P0301   Misfire in cylinder 1

        engine_load         28.0 %     ▂█▅▃▁█▇▇▇
        fuel_type           gasoline
        intake_manifold_…   35.0 kPa   ▄








        q quit  p parameters  ↑↓ scroll
        """

    /// Returns the dashboard of an electric car that charges.
    private static func electric(_ more: [(String, String)] = []) throws -> Dashboard {
        var dashboard = Dashboard(fleetTopics, vehicle: "van-12", size: .init(columns: 80, rows: 16), isColored: false)
        let roles = #"""
            {"state_of_charge": ["front", "rear"], "range": ["left"], "charging": ["state"], "plugged_in": ["ac", "dc"],
            "charger_power": ["charger"], "vehicle_speed": ["wheels"], "ready": ["missing"]}
            """#
        let messages = [
            ("availability", "online"), ("vehicle", #"{"roles": \#(roles), "true_values": {"state": [5, 7]}}"#),
            ("parameters/front", #"{"value": 64.5, "unit": "%"}"#), ("parameters/rear", #"{"value": 63, "unit": "%"}"#),
            ("parameters/left", #"{"value": 211, "unit": "km"}"#), ("parameters/ac", #"{"value": false}"#),
            ("parameters/dc", #"{"value": true}"#), ("parameters/state", #"{"value": 5, "label": "Charging"}"#),
            ("parameters/charger", #"{"value": 6.9, "unit": "kW"}"#),
            ("parameters/wheels", #"{"value": 0, "unit": "km/h"}"#),
        ]
        for (path, payload) in messages + more { dashboard.receive(try message("van-12/\(path)", payload)) }
        return dashboard
    }

    @Test("A traction battery comes first, with its charge as a bar and its states as marks")
    func battery() throws {
        let lines = try Self.electric().lines(at: Self.now).map { line in
            line.lastIndex { $0 != " " }.map { String(line[...$0]) } ?? ""
        }
        #expect(
            lines.dropFirst(2).prefix(12) == [
                "Traction battery   ● charging   ● plugged in",
                "Charge        64.5 %      ███████████████████████████████████░░░░░░░░░░░░░░░░░░░",
                "Range          211 km     ▄", "Charger        6.9 kW     ▄", "",
                "Speed          0.0 km/h   ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░", "",
                "Lamp      unknown   codes unknown", "", "rear                              63.0 %      ▄",
                "state                           Charging", "",
            ]
        )
    }

    @Test("A code that does not mean true is no mark, and a range alone is no traction battery")
    func batteryStates() throws {
        let done = try Self.electric([("parameters/state", #"{"value": 6, "label": "Done"}"#)]).lines(at: Self.now)
        #expect(done.contains { $0.contains("○ not charging   ● plugged in") })
        let common = #"{"roles": {"range": ["left"], "ready": ["ac"]}}"#
        let fuel = try Self.electric([("vehicle", common)]).lines(at: Self.now)
        #expect(!fuel.joined().contains("Traction battery") && fuel.contains { $0.contains("left") })
    }

    @Test("Colors mark dangerous values, and only if colors are on")
    func colors() throws {
        let colored = try Self.dashboard(columns: 80, isColored: true).lines(at: Self.now)
        let plain = try Self.dashboard(columns: 80).lines(at: Self.now)
        #expect(colored.contains { $0.contains("\u{1B}[1;31m") && $0.contains("Coolant") })
        #expect(colored.contains { $0.contains("\u{1B}[33m") && $0.contains("Fuel") })
        #expect(!plain.joined().contains("\u{1B}"))
    }

    @Test("The picture in README.md has the text of this dashboard")
    func picture() throws {
        var dashboard = try Self.dashboard(columns: 80, rows: 19, isColored: true)
        let start = #"{"time": "2026-11-21T10:00:00Z", "clock": "synchronised", "#
        for (path, payload) in [
            ("trip", #""ongoing": true, "trip": {"duration": 1860, "distance": 25.2, "fuel_consumption": 6.4}}"#),
            ("position", #""quality": "good", "latitude": 52.51628, "longitude": 13.37771, "accuracy": 8}"#),
        ] { dashboard.receive(try message("van-12/\(path)", start + payload)) }
        let lines = dashboard.lines(at: Self.now)
        if let path = ProcessInfo.processInfo.environment["WATCH_PICTURE"] {
            try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
        }
        let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let picture = try String(contentsOfFile: "\(root)/docs/images/watch.svg", encoding: .utf8)
        for line in lines {
            for part in line.split(separator: "\u{1B}") where part.first == "[" {
                for words in part.drop(while: { $0 != "m" }).dropFirst().split(separator: "  ") {
                    let text = words.split(separator: " ").joined(separator: " ")
                    #expect(picture.contains(">\(text)</text>") || text.isEmpty, "\(text)")
                }
            }
        }
    }

    @Test("A diesel engine has limits of its own")
    func diesel() throws {
        let petrol = Gauge.all(isDiesel: false)[1]
        let diesel = Gauge.all(isDiesel: true)[1]
        #expect(petrol.severity(4250, in: "rpm") == .none && diesel.severity(4250, in: "rpm") == .attention)
        #expect(diesel.fill(2500, in: "rpm") == 0.5)
        #expect(Gauge.all(isDiesel: false)[2].severity(230, in: "°F") == .attention)
        let lines = try Self.dashboard(columns: 80, isColored: true, fuel: "diesel").lines(at: Self.now)
        #expect(lines.contains { $0.contains("\u{1B}[33m") && $0.contains("Engine") })
    }

    @Test("Only changed lines are written, at most five times a second")
    func frames() throws {
        var dashboard = try Self.dashboard(columns: 80)
        let first = dashboard.frame(at: at(1), time: Self.now)
        #expect(first.hasPrefix("\u{1B}[2J") && first.contains("Speed"))
        dashboard.receive(try message("van-12/parameters/vehicle_speed", #"{"value": 63, "unit": "km/h"}"#))
        #expect(dashboard.frame(at: at(1.1), time: Self.now).isEmpty)
        let second = dashboard.frame(at: at(1.2), time: Self.now)
        #expect(second.contains("63.0 km/h") && !second.contains("Coolant"))
        #expect(dashboard.frame(at: at(2), time: Self.now + .seconds(1)).isEmpty)
        dashboard.resize(.init(columns: 60, rows: 20))
        #expect(dashboard.frame(at: at(2.01), time: Self.now + .seconds(1)).contains("Coolant"))
    }

    @Test("Parameters are selected by keys, also when a key's sequence arrives in pieces")
    func keys() throws {
        var dashboard = try Self.dashboard(columns: 80)
        func line(_ text: String) -> String? { dashboard.lines(at: Self.now).first { $0.contains(text) } }
        #expect(line("engine_load") != nil)
        #expect(dashboard.type(Array("p".utf8)) == .none)
        #expect(line("> [x] engine_load") != nil)
        _ = dashboard.type([0x1B])
        _ = dashboard.type(Array("[".utf8))
        _ = dashboard.type(Array("B".utf8))
        #expect(line("> [x] fuel_type") != nil)
        _ = dashboard.type([0x1B, 0x5B, 0x41, 0x20])
        #expect(line("> [ ] engine_load") != nil)
        _ = dashboard.type([0x1B])
        _ = dashboard.type([])
        #expect(line("engine_load") == nil && line("Speed") != nil)
        #expect(dashboard.type(Array("q".utf8)) == .quit)
    }

    @Test("No text of a message reaches the terminal as a control sequence")
    func hostile() throws {
        var dashboard = try Self.dashboard(columns: 80)
        let evil = #""\u001b[2J\u0007\u009b31mboo""#
        for (path, payload) in [
            ("status", #"{"link": \#(evil), "problem": \#(evil), "vehicle_confirmed": true}"#),
            ("codes", #"{"known": true, "codes": [{"code": \#(evil), "description": \#(evil)}]}"#),
            ("parameters/a\u{1B}[31m", #"{"value": \#(evil), "unit": \#(evil)}"#),
            ("parameters/b", #"{"value": 1e999, "unit": \#(evil)}"#), ("parameters/c", "\u{1B}[2J"),
        ] { dashboard.receive(try message("van-12/\(path)", payload)) }
        for line in dashboard.lines(at: Self.now) {
            #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }, "\(line)")
        }
    }

    @Test(
        "Extreme numbers are drawn, even if their difference is infinite or rounds to zero",
        arguments: [["1.7e308", "-1.7e308"], ["-1.7e308", "0", "1.7e308"], ["5e-324", "0"], ["1e999", "-1e999"]]
    )
    func extremes(numbers: [String]) throws {
        for columns in [40, 80, 200] {
            var dashboard = try Self.dashboard(columns: columns)
            for name in ["engine_speed", "fuel_level", "intake_manifold_pressure", "barometric_pressure", "any"] {
                for number in numbers + numbers.reversed() {
                    let payload = "{\"value\": \(number), \"unit\": \"kPa\"}"
                    dashboard.receive(try message("van-12/parameters/\(name)", payload))
                }
            }
            #expect(dashboard.lines(at: Self.now).allSatisfy { Cells.width($0) <= columns })
        }
    }

    @Test("The height of a sparkline does not depend on the magnitude of its numbers")
    func sparkline() {
        #expect(Cells.sparkline([-1.7e308, 0, 1.7e308], width: 3) == Cells.sparkline([-2, 0, 2], width: 3))
        #expect(Cells.sparkline([0, .leastNonzeroMagnitude], width: 2) == Cells.sparkline([1, 1], width: 2))
    }

    @Test("With any size and any key, every line fits the terminal")
    func sizesAndKeys() throws {
        var dashboard = try Self.dashboard(columns: 80)
        for columns in [1, 2, 7, 20, 41, 200] {
            for rows in [1, 2, 5, 100] {
                dashboard.resize(.init(columns: columns, rows: rows))
                for byte in UInt8(0)...255 where byte != UInt8(ascii: "q") {
                    _ = dashboard.type([byte])
                    let lines = dashboard.lines(at: Self.now)
                    #expect(lines.count == rows && lines.allSatisfy { Cells.width($0) <= columns })
                }
            }
        }
    }
}
