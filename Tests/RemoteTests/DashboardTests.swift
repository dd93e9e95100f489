// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Remote
@testable import Subscriber

@Suite struct DashboardTests {
    /// Returns the dashboard of an electric car that charges.
    private static func electric(_ more: [(String, String)] = []) throws -> Dashboard {
        var dashboard = Dashboard(fleetTopics, vehicle: "van-12", size: .init(columns: 80, rows: 20), isColored: false)
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
        dashboard.connected(at: at(99))
        let present = [("status", #"{"link": "connected", "vehicle_confirmed": true}"#)]
        for (path, payload) in present + messages + more {
            dashboard.receive(try message("van-12/\(path)", payload), at: at(100))
        }
        return dashboard
    }

    @Test("A traction battery comes first, with its charge as a bar and its states as marks")
    func battery() throws {
        let lines = DashboardScene.trimmed(try Self.electric().lines(at: DashboardScene.now))
        #expect(
            lines.dropFirst(3).prefix(12) == [
                "Traction battery   ● charging   ● plugged in",
                "Charge        64.5 %      ███████████████████████████░░░░░░░░░░░░░░░ 0–100",
                "Range          211 km                                           ▄            211",
                "Charger        6.9 kW                                           ▄            6.9", "",
                "Speed            0 km/h   ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 0–200", "",
                "Lamp      unknown   codes unknown", "", "Values   last 30 s",
                "Rear                                63 %                        ▄             63",
                "State                           Charging",
            ]
        )
    }

    @Test("A code that does not mean true is no mark, and a range alone is no traction battery")
    func batteryStates() throws {
        let done = try Self.electric([("parameters/state", #"{"value": 6, "label": "Done"}"#)]).lines(
            at: DashboardScene.now
        )
        #expect(done.contains { $0.contains("○ not charging   ● plugged in") })
        let common = #"{"roles": {"range": ["left"], "ready": ["ac"]}}"#
        let fuel = try Self.electric([("vehicle", common)]).lines(at: DashboardScene.now)
        #expect(!fuel.joined().contains("Traction battery") && fuel.contains { $0.contains("Left") })
    }

    @Test("A custom parameter has the title that the vehicle's topic gives it, also if that arrives later")
    func customTitle() throws {
        let value = ("parameters/rail", #"{"value": 3.2, "unit": "bar"}"#)
        let vehicle = ("vehicle", #"{"titles": {"rail": "Rail pressure, cold"}}"#)
        for messages in [[value, vehicle], [vehicle, value]] {
            let lines = try Self.electric(messages).lines(at: DashboardScene.now)
            #expect(lines.contains { $0.contains("Rail pressure, cold") }, "\(lines)")
        }
        #expect(try Self.electric([value]).lines(at: DashboardScene.now).contains { $0.hasPrefix("Rail ") })
    }

    @Test("Colors mark dangerous values, and only if colors are on")
    func colors() throws {
        let colored = try DashboardScene.dashboard(columns: 80, isColored: true).lines(at: DashboardScene.now)
        let plain = try DashboardScene.dashboard(columns: 80).lines(at: DashboardScene.now)
        #expect(colored.contains { $0.contains("\u{1B}[1;31m") && $0.contains("Coolant") })
        #expect(colored.contains { $0.contains("\u{1B}[33m") && $0.contains("Fuel") })
        #expect(!plain.joined().contains("\u{1B}"))
    }

    @Test("A finding has its severity, its age and its author, and its text is wrapped")
    func finding() throws {
        var dashboard = try DashboardScene.dashboard(columns: 80, rows: 40)
        let words = Array(repeating: "coil", count: 90).joined(separator: " ")
        let payload = #"""
            {"severity": "urgent", "issuer": "ada", "time": "2026-11-21T08:00:00.000Z", "codes": ["P0301"],
            "text": "Replace it.\n\#(words)"}
            """#
        dashboard.receive(try message("van-12/finding", payload), at: at(100))
        let lines = dashboard.lines(at: DashboardScene.now).drop { !$0.hasPrefix("Finding") }.prefix { !$0.isEmpty }
        #expect(lines.first == "Finding   urgent   2 h ago   by ada   P0301")
        #expect(lines.dropFirst().first == "          Replace it.")
        #expect(lines.count == 7 && lines.last?.hasSuffix("…") == true)
        dashboard.receive(try message("van-12/finding", ""), at: at(100))
        #expect(!dashboard.lines(at: DashboardScene.now).joined().contains("Finding"))
    }

    @Test("No line that fills the last column erases it")
    func lastColumn() throws {
        var dashboard = try DashboardScene.dashboard(columns: 80)
        let frame = dashboard.frame(at: at(100), time: DashboardScene.date)
        #expect(frame.contains("10:00:00 UTC\u{1B}[2;1H") && frame.contains("vehicle running\u{1B}[K"))
    }

    @Test("A diesel engine has limits of its own")
    func diesel() throws {
        let petrol = Gauge.all(isDiesel: false)[1]
        let diesel = Gauge.all(isDiesel: true)[1]
        #expect(petrol.severity(4250, in: "rpm") == .none && diesel.severity(4250, in: "rpm") == .attention)
        #expect(diesel.fill(2500, in: "rpm") == 0.5)
        #expect(Gauge.all(isDiesel: false)[2].severity(230, in: "°F") == .attention)
        let lines = try DashboardScene.dashboard(columns: 80, isColored: true, fuel: "diesel").lines(
            at: DashboardScene.now
        )
        #expect(lines.contains { $0.contains("\u{1B}[33m") && $0.contains("Engine") })
    }

    @Test("Only changed lines are written, at most five times a second")
    func frames() throws {
        var dashboard = try DashboardScene.dashboard(columns: 80)
        let first = dashboard.frame(at: at(100), time: DashboardScene.date)
        #expect(first.hasPrefix("\u{1B}[2J") && first.contains("Speed"))
        dashboard.receive(
            try message("van-12/parameters/vehicle_speed", #"{"value": 63, "unit": "km/h"}"#),
            at: at(100)
        )
        #expect(dashboard.frame(at: at(100.1), time: DashboardScene.date).isEmpty)
        let second = dashboard.frame(at: at(100.2), time: DashboardScene.date)
        #expect(second.contains("63 km/h") && !second.contains("Coolant"))
        // Without a message only the time of day goes on.
        #expect(dashboard.frame(at: at(101), time: DashboardScene.date + .seconds(1)).isEmpty)
        let third = dashboard.frame(at: at(101.2), time: DashboardScene.date + .seconds(1))
        #expect(third.contains("10:00:01 UTC") && !third.contains("Speed"))
        dashboard.resize(.init(columns: 60, rows: 22))
        #expect(dashboard.frame(at: at(101.21), time: DashboardScene.date + .seconds(1)).contains("Coolant"))
    }

    @Test("No text of a message reaches the terminal as a control sequence")
    func hostile() throws {
        var dashboard = try DashboardScene.dashboard(columns: 80)
        let evil = #""\u001b[2J\u0007\u009b31mboo""#
        for (path, payload) in [
            ("status", #"{"link": \#(evil), "problem": \#(evil), "vehicle_confirmed": true}"#),
            ("codes", #"{"known": true, "codes": [{"code": \#(evil), "description": \#(evil)}]}"#),
            ("parameters/a\u{1B}[31m", #"{"value": \#(evil), "unit": \#(evil)}"#),
            ("parameters/b", #"{"value": 1e999, "unit": \#(evil)}"#), ("parameters/c", "\u{1B}[2J"),
        ] { dashboard.receive(try message("van-12/\(path)", payload), at: at(100)) }
        for line in dashboard.lines(at: DashboardScene.now) {
            #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }, "\(line)")
        }
    }

    @Test(
        "Extreme numbers are drawn, even if their difference is infinite or rounds to zero",
        arguments: [["1.7e308", "-1.7e308"], ["-1.7e308", "0", "1.7e308"], ["5e-324", "0"], ["1e999", "-1e999"]]
    )
    func extremes(numbers: [String]) throws {
        for columns in [40, 80, 200] {
            var dashboard = try DashboardScene.dashboard(columns: columns)
            for name in ["engine_speed", "fuel_level", "intake_manifold_pressure", "barometric_pressure", "any"] {
                for number in numbers + numbers.reversed() {
                    let payload = "{\"value\": \(number), \"unit\": \"kPa\"}"
                    dashboard.receive(try message("van-12/parameters/\(name)", payload), at: at(100))
                }
            }
            #expect(dashboard.lines(at: DashboardScene.now).allSatisfy { Cells.width($0) <= columns })
        }
    }
}
