// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Remote
import Testing

@testable import Subscriber

@Suite("How old the values of a dashboard are")
struct DashboardFreshnessTests {
    @Test("Nothing is bright that is not measured now: no bar, no color, no sparkline")
    func faded() throws {
        let grey = "\u{1B}[90m"
        for (path, payload) in [
            ("availability", "offline"), ("status", #"{"link": "waiting", "vehicle_confirmed": true}"#),
            ("status", #"{"link": "connected", "vehicle_confirmed": false}"#),
            ("status", #"{"link": "connected", "vehicle_confirmed": true, "parked": true}"#),
        ] {
            var dashboard = try DashboardScene.dashboard(columns: 80, isColored: true)
            #expect(dashboard.lines(at: DashboardScene.now).joined().contains("█"))
            dashboard.receive(try message("van-12/\(path)", payload), at: at(101))
            let lines = dashboard.lines(at: ViewerTime(at(101), DashboardScene.date))
            // The head tells the lamps, and the last line the keys.
            for line in lines.dropFirst(3).dropLast() where line.contains(where: \.isNumber) && !line.contains("Values")
            {
                #expect(line.contains(grey), "\(line)")
                for style: TextStyle in [.good, .bold, .danger, .accent] {
                    #expect(!line.contains("\u{1B}[\(style.code)m"), "\(line)")
                }
            }
            #expect(!lines.joined().contains("█") && !lines.joined().contains("▄"))
        }
    }

    @Test("A value that does not come any more is late with its age, and others stay live")
    func late() throws {
        var dashboard = try DashboardScene.dashboard(columns: 80)
        dashboard.receive(
            try message("van-12/parameters/vehicle_speed", #"{"value": 63, "unit": "km/h"}"#),
            at: at(165)
        )
        func line(_ label: String, at time: Double) -> String {
            let lines = dashboard.lines(at: ViewerTime(at(time), DashboardScene.date))
            return lines.first { $0.hasPrefix(label) } ?? ""
        }
        #expect(line("Coolant", at: 170).contains("█") && line("Engine", at: 170.5).contains("█"))
        #expect(line("Coolant", at: 170.1).hasSuffix("late, 1 min ago"))
        #expect(line("Engine", at: 170.6).hasSuffix("late, 1 min ago"))
        #expect(line("Speed", at: 230).contains("63 km/h") && line("Speed", at: 230).contains("█"))
    }

    @Test("A value that the broker had kept is as old as it says, and live only if that is not too old")
    func retained() throws {
        var dashboard = try DashboardScene.dashboard(columns: 80)
        func line(_ time: String, _ quality: String = "good") throws -> String {
            let payload = #"{"value": 90, "unit": "km/h", "time": "\#(time)", "quality": "\#(quality)"}"#
            var kept = try message("van-12/parameters/vehicle_speed", payload)
            kept.retain = true
            dashboard.receive(kept, at: at(100))
            return dashboard.lines(at: DashboardScene.now).first { $0.hasPrefix("Speed") } ?? ""
        }
        #expect(try line("2026-11-21T09:59:50.000Z").contains("█"))
        #expect(try line("2026-11-21T09:58:00.000Z").hasSuffix("late, 2 min ago"))
        #expect(try line("2026-11-21T09:59:51.000Z", "unsynchronised").hasSuffix("last known, age unknown"))
        #expect(try line("2026-11-21T10:30:00.000Z").hasSuffix("last known, age unknown"))
    }

    @Test("A last known value is as old as the last message while it was live, if that was within its limit")
    func held() throws {
        var dashboard = try DashboardScene.dashboard(columns: 80)
        func line(_ label: String, at time: Double) -> String {
            let lines = dashboard.lines(at: ViewerTime(at(time), DashboardScene.date))
            return lines.first { $0.hasPrefix(label) } ?? ""
        }
        // An unchanged speed is not published again at once, as that of the engine is.
        for second in [140.0, 155] {
            dashboard.receive(
                try message("van-12/parameters/engine_speed", #"{"value": 900, "unit": "rpm", "ecu": "7E8"}"#),
                at: at(second)
            )
        }
        // Neither what the broker had kept, nor the voltage at the adapter, tells that an ECU answers.
        var kept = try message("van-12/parameters/oil_temperature", #"{"value": 90, "unit": "°C", "ecu": "7E8"}"#)
        kept.retain = true
        dashboard.receive(kept, at: at(160))
        dashboard.receive(
            try message("van-12/parameters/supply_voltage", #"{"value": 12.4, "unit": "V", "ecu": "adapter"}"#),
            at: at(164)
        )
        #expect(line("Speed", at: 165).contains("█"))
        dashboard.connectionLost("gone", at: at(165))
        #expect(line("Speed", at: 166).hasSuffix("last known, 11 s ago"))
        #expect(line("Engine", at: 166).hasSuffix("last known, 11 s ago"))
        #expect(line("Speed", at: 216).hasSuffix("last known, 1 min ago"))
    }

    @Test("The 12 V supply of a parked vehicle is the newer of the value and the status, with its age")
    func supply() throws {
        var dashboard = try DashboardScene.dashboard(columns: 80, rows: 60)
        func line() -> String {
            dashboard.lines(at: DashboardScene.now).first { $0.hasPrefix("12 V supply") } ?? ""
        }
        func receive(_ path: String, _ payload: String) throws {
            var message = try message("van-12/\(path)", payload)
            message.retain = true
            dashboard.receive(message, at: at(100))
        }
        func status(_ volts: Double, _ time: String) -> String {
            #"""
            {"link": "waiting", "parked": true, "vehicle_confirmed": true, "clock": "synchronised",
            "battery": {"voltage": \#(volts), "time": "\#(time)", "low": false}}
            """#
        }
        try receive(
            "parameters/supply_voltage",
            #"{"value": 12.6, "unit": "V", "time": "2026-11-21T09:50:00.000Z", "quality": "good"}"#
        )
        #expect(line().contains("12.60") && line().contains("10 min ago"), "\(line())")
        try receive("status", status(12.4, "2026-11-21T09:58:00.000Z"))
        #expect(line().contains("12.40") && line().contains("2 min ago"), "\(line())")
        // An older one replaces none.
        try receive("status", status(12.5, "2026-11-21T09:57:00.000Z"))
        #expect(line().contains("12.40"), "\(line())")
    }

    @Test("A value that was late when the last message came is as old as its measurement")
    func notHeld() throws {
        var dashboard = try DashboardScene.dashboard(columns: 80)
        dashboard.receive(
            try message("van-12/parameters/engine_speed", #"{"value": 900, "unit": "rpm", "ecu": "7E8"}"#),
            at: at(200)
        )
        dashboard.connectionLost("gone", at: at(201))
        let lines = dashboard.lines(at: ViewerTime(at(202), DashboardScene.date))
        #expect(lines.contains { $0.hasPrefix("Speed") && $0.hasSuffix("last known, 1 min ago") })
        #expect(lines.contains { $0.hasPrefix("Engine") && $0.hasSuffix("last known, just now") })
    }

    @Test("A value that comes again after a lost connection is no new one, and a sparkline has a gap")
    func gaps() throws {
        var dashboard = try DashboardScene.dashboard(columns: 80)
        func receive(_ value: Int, _ second: Int, isRetained: Bool = false) throws {
            let payload =
                #"{"value": \#(value), "unit": "%", "time": "2026-11-21T10:00:\#(second)Z", "quality": "good"}"#
            var message = try message("van-12/parameters/any", payload)
            message.retain = isRetained
            dashboard.receive(message, at: at(Double(100 + second)))
        }
        func line(_ second: Double) -> String {
            let now = ViewerTime(at(100 + second), DashboardScene.date + .milliseconds(Int64(second * 1000)))
            return dashboard.lines(at: now).first { $0.hasPrefix("Any") } ?? ""
        }
        try receive(10, 10)
        try receive(20, 14)
        #expect(line(15).hasSuffix("▁▁▁█          10–20"))
        dashboard.connectionLost("gone", at: at(116))
        #expect(line(16).hasSuffix("last known, just now"))
        dashboard.connected(at: at(130))
        // What was told on the connection before does not count.
        try receive(20, 14, isRetained: true)
        #expect(line(31).hasSuffix("last known, 17 s ago"))
        for (path, payload) in DashboardScene.facts {
            dashboard.receive(try message("van-12/\(path)", payload), at: at(130))
        }
        // What was measured meanwhile is not known, so the course does not go on.
        #expect(line(31).hasSuffix("▁▁█               10–20"))
        try receive(10, 32)
        #expect(line(33).hasSuffix("▁▁█    ▁▁          10–20"))
    }

    @Test("A subscription that brings nothing is explained on the screen")
    func silent() {
        var dashboard = Dashboard(fleetTopics, vehicle: "van", size: .init(columns: 80, rows: 12), isColored: false)
        func text(at time: Double) -> String {
            dashboard.lines(at: ViewerTime(at(time), DashboardScene.date)).joined(separator: " ")
        }
        #expect(!dashboard.silence.hasHeard && text(at: 9).contains("No values yet"))
        dashboard.connected(at: at(10))
        #expect(text(at: 14).contains("No values yet"))
        #expect(text(at: 15).contains("access list") && text(at: 15).contains("Try:"))
    }
}
