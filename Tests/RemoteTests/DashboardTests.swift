// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Remote
@testable import Subscriber

@Suite struct DashboardTests {
    @Test("The dashboard has its golden layout at 80, 40 and 120 columns", arguments: [80, 40, 120])
    func golden(columns: Int) throws {
        let lines = try DashboardScene.dashboard(columns: columns).lines(at: DashboardScene.now)
        #expect(lines.count == 24)
        #expect(lines.allSatisfy { Cells.width($0) <= columns && !$0.contains("\u{1B}") })
        let golden = [80: Self.usual, 40: Self.small, 120: Self.wide][columns]
        #expect(DashboardScene.trimmed(lines).joined(separator: "\n") == golden)
    }

    @Test("After the loss of the broker all values are last known at once, and no lamp is lit but those that were")
    func lost() throws {
        var dashboard = try DashboardScene.dashboard(columns: 80)
        dashboard.connectionLost("The connection was lost", at: at(103))
        let lines = dashboard.lines(at: ViewerTime(at(120), DashboardScene.date + .seconds(20)))
        #expect(DashboardScene.trimmed(lines).joined(separator: "\n") == Self.lost)
    }

    private static let usual = """
        van-12  WVWZZZ1KZ6W612305  Volkswagen                               10:00:00 UTC
        ● broker   ● agent online   ● adapter connected   ● vehicle running

        Speed           62 km/h   █████████████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
        Engine        4250 rpm    █████████████████████████████████░░░░░░░░░░░░░░░░░░░░░
        Coolant        117 °C     █████████████████████████████████████████████████░░░░░
        Boost          -66 kPa    ████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
        Fuel           8.6 %      █████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
        Battery      14.20 V      ██████████████████████████████████████░░░░░░░░░░░░░░░░

        Lamp      ● on   2 codes
        P0301     Misfire in cylinder 1   7E8 stored, permanent   freeze frame
        P0420     Catalyst efficiency   7E8 pending   7E9 stored

        Calculated engine load                  28.0 %      ▁▁▁▂▄▆█▃▆▂▆▃█▅▃▁█▇▇▇
        Fuel type                             gasoline
        Intake manifold absolute pressure         35 kPa    ▄
        O2 sensor B1S1 lambda                  0.955 ratio  ▄





        q quit  p parameters  ↑↓ scroll  ? keys
        """

    private static let small = """
        van-12
        ● broker  ● agent  ● adapter  ● vehicle

        Speed       62 km/h  ██████░░░░░░░░░░░░░
        Engine    4250 rpm   ████████████░░░░░░░
        Coolant    117 °C    █████████████████░░
        Boost      -66 kPa   █░░░░░░░░░░░░░░░░░░
        Fuel       8.6 %     ██░░░░░░░░░░░░░░░░░
        Battery  14.20 V     █████████████░░░░░░

        Lamp    ● on   2 codes
        P0301   Misfire in cylinder 1
                7E8 stored, permanent
                freeze frame
        P0420   Catalyst efficiency
                7E8 pending   7E9 stored

        Calculated engin…   28.0 %     ▂█▅▃▁█▇▇▇
        Fuel type           gasoline
        Intake manifold …     35 kPa   ▄
        O2 sensor B1S1 l…  0.955 rat…  ▄


        q quit  p parameters  ↑↓ scroll  ? keys
        """

    private static let wide = """
        van-12  WVWZZZ1KZ6W612305  Volkswagen                                                                       10:00:00 UTC
        ● broker   ● agent online   ● adapter connected   ● vehicle running

        Speed           62 km/h   ██████████░░░░░░░░░░░░░░░░░░░░░░   Calculated engine load           28.0 %      █▃▆▁▆▂█▅▂▁█▇▇▇
        Engine        4250 rpm    ███████████████████░░░░░░░░░░░░░   Fuel type                      gasoline
        Coolant        117 °C     █████████████████████████████░░░   Intake manifold absolute pr…       35 kPa    ▄
        Boost          -66 kPa    ██░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   O2 sensor B1S1 lambda           0.955 ratio  ▄
        Fuel           8.6 %      ███░░░░░░░░░░░░░░░░░░░░░░░░░░░░░
        Battery      14.20 V      ██████████████████████░░░░░░░░░░

        Lamp      ● on   2 codes
        P0301     Misfire in cylinder 1   7E8 stored, permanent
                  freeze frame
        P0420     Catalyst efficiency   7E8 pending   7E9 stored









        q quit  p parameters  ↑↓ scroll  ? keys
        """

    private static let lost = """
        van-12  WVWZZZ1KZ6W612305  Volkswagen                               10:00:20 UTC
        ○ broker lost 17 s ago   ○ agent was online   ○ adapter was connected
        ○ vehicle was running

        Speed           62 km/h   last known, 20 s ago
        Engine        4250 rpm    last known, 20 s ago
        Coolant        117 °C     last known, 20 s ago
        Boost          -66 kPa    last known, 20 s ago
        Fuel           8.6 %      last known, 20 s ago
        Battery      14.20 V      last known, 20 s ago

        Lamp      ● on   2 codes   last known, 1 min ago
        P0301     Misfire in cylinder 1   7E8 stored, permanent   freeze frame
        P0420     Catalyst efficiency   7E8 pending   7E9 stored

        Calculated engine load                  28.0 %      last known, 20 s ago
        Fuel type                             gasoline  last known, 20 s ago
        Intake manifold absolute pressure         35 kPa    last known, 20 s ago
        O2 sensor B1S1 lambda                  0.955 ratio  last known, 20 s ago




        The connection was lost; reconnecting
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
                "Charge        64.5 %      ███████████████████████████████████░░░░░░░░░░░░░░░░░░░",
                "Range          211 km     ▄", "Charger        6.9 kW     ▄", "",
                "Speed            0 km/h   ░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░", "",
                "Lamp      unknown   codes unknown", "", "Rear                                      63 %      ▄",
                "State                                 Charging", "",
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

    @Test("The question mark shows the keys, and any key goes back")
    func help() throws {
        var dashboard = try DashboardScene.dashboard(columns: 80)
        _ = dashboard.type(Array("?".utf8))
        #expect(dashboard.lines(at: DashboardScene.now).contains { $0.hasPrefix("l ") && $0.contains("draw anew") })
        _ = dashboard.type(Array("x".utf8))
        #expect(dashboard.lines(at: DashboardScene.now).contains { $0.hasPrefix("Speed") })
        _ = dashboard.type(Array("?".utf8))
        #expect(dashboard.type(Array("q".utf8)) == .quit)
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
        dashboard.resize(.init(columns: 60, rows: 20))
        #expect(dashboard.frame(at: at(101.21), time: DashboardScene.date + .seconds(1)).contains("Coolant"))
    }

    @Test("Parameters are selected by keys, also when a key's sequence arrives in pieces")
    func keys() throws {
        var dashboard = try DashboardScene.dashboard(columns: 80)
        func line(_ text: String) -> String? { dashboard.lines(at: DashboardScene.now).first { $0.contains(text) } }
        #expect(line("Calculated engine load") != nil)
        #expect(dashboard.type(Array("p".utf8)) == .none)
        #expect(line("> [x] Calculated engine load") != nil)
        _ = dashboard.type([0x1B])
        _ = dashboard.type(Array("[".utf8))
        _ = dashboard.type(Array("B".utf8))
        #expect(line("> [x] Fuel type") != nil)
        _ = dashboard.type([0x1B, 0x5B, 0x41, 0x20])
        #expect(line("> [ ] Calculated engine load") != nil)
        _ = dashboard.type([0x1B])
        _ = dashboard.type([])
        #expect(line("Calculated engine load") == nil && line("Speed") != nil)
        #expect(dashboard.type(Array("q".utf8)) == .quit)
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

    @Test("The height of a sparkline does not depend on the magnitude of its numbers")
    func sparkline() {
        #expect(Cells.sparkline([-1.7e308, 0, 1.7e308], width: 3) == Cells.sparkline([-2, 0, 2], width: 3))
        #expect(Cells.sparkline([0, .leastNonzeroMagnitude], width: 2) == Cells.sparkline([1, 1], width: 2))
    }

    @Test("With any size and any key, every line fits the terminal")
    func sizesAndKeys() throws {
        var dashboard = try DashboardScene.dashboard(columns: 80)
        for columns in [1, 2, 7, 20, 41, 109, 110, 200, 400] {
            for rows in [1, 2, 5, 100] {
                dashboard.resize(.init(columns: columns, rows: rows))
                // Every byte at one size, and at all sizes those that do something.
                let keys = columns == 41 && rows == 5 ? Array(UInt8(0)...255) : Array("p l?x\u{1B}[B\u{1B}".utf8)
                for byte in keys where byte != UInt8(ascii: "q") {
                    _ = dashboard.type([byte])
                    let lines = dashboard.lines(at: DashboardScene.now)
                    #expect(lines.count == rows && lines.allSatisfy { Cells.width($0) <= columns })
                }
            }
        }
    }
}
