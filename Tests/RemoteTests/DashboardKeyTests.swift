// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Remote
import Testing

@testable import Subscriber

@Suite("The keys of the dashboard")
struct DashboardKeyTests {
    /// A dashboard with its keys, drawn after each.
    private struct Seat {
        var dashboard: Dashboard

        init(_ vehicle: DashboardVehicle = .faulty, columns: Int = 80, rows: Int = 24) throws {
            self.dashboard = try vehicle.dashboard(columns: columns, rows: rows)
        }

        var lines: [String] { DashboardScene.trimmed(self.dashboard.lines(at: DashboardScene.now)) }
        /// The row below the head: the heading of a part, or the first gauge.
        var top: String { self.lines.dropFirst(3).first ?? "" }

        mutating func type(_ bytes: [UInt8]) -> Dashboard.TypeAction {
            let action = self.dashboard.type(bytes)
            _ = self.dashboard.frame(at: DashboardScene.now.monotonic, time: DashboardScene.date)
            return action
        }

        @discardableResult
        mutating func press(_ keys: String) -> [String] {
            _ = self.type(Array(keys.utf8))
            return self.lines
        }
    }

    private static let headings = ["Gauges", "Values", "Codes", "Readiness", "Trip", "Events"]
    private static let down = "\u{1B}[B"
    private static let pageDown = "\u{1B}[6~"

    @Test("1 to 6 show one part, and 0 and Escape all of them", arguments: [(40, 15), (80, 24), (120, 40), (200, 60)])
    func parts(columns: Int, rows: Int) throws {
        var seat = try Seat(columns: columns, rows: rows)
        let first = seat.lines
        for (index, heading) in Self.headings.enumerated() {
            let lines = seat.press("\(index + 1)")
            #expect(seat.top.hasPrefix(heading) && lines != first || rows == 15 && index == 0, "\(heading): \(lines)")
        }
        #expect(seat.press("0") == first)
        seat.press("3")
        _ = seat.type([0x1B])
        _ = seat.type([])
        #expect(seat.lines == first)
        for other in "789" { #expect(seat.press(String(other)) == first) }
    }

    @Test("Tab and the arrow to the right go to the next part, the others back, and around the end")
    func steps() throws {
        for (next, previous) in [("\t", "\u{1B}[Z"), ("\u{1B}[C", "\u{1B}[D"), ("\u{1B}OC", "\u{1B}OD")] {
            var seat = try Seat()
            let all = seat.lines
            for heading in Self.headings {
                seat.press(next)
                #expect(seat.top.hasPrefix(heading))
            }
            #expect(seat.press(next) == all)
            seat.press(previous)
            #expect(seat.top.hasPrefix("Events"))
            seat.press(previous)
            #expect(seat.top.hasPrefix("Trip"))
        }
    }

    @Test("A small screen has no place for all parts: the gauges come first, and Tab leaves them out once")
    func small() throws {
        var seat = try Seat(columns: 40, rows: 15)
        #expect(seat.top.hasPrefix("Gauges") && seat.lines[2].hasPrefix("Lamp    ● on   2 codes"))
        seat.press("\t")
        #expect(seat.top.hasPrefix("Values"))
        seat.press("\u{1B}[Z\u{1B}[Z")
        #expect(seat.top.hasPrefix("Events"))
        seat.press("\t")
        #expect(seat.top.hasPrefix("Gauges"))
    }

    @Test("Arrows, pages, Home and End scroll a part, and never beyond its ends")
    func scrolling() throws {
        var seat = try Seat(columns: 40, rows: 15)
        seat.press("2")
        #expect(seat.top.hasSuffix("1–10 of 19"))
        seat.press("\u{1B}[A")
        #expect(seat.top.hasSuffix("1–10 of 19"))
        seat.press(Self.down)
        #expect(seat.top.hasSuffix("2–11 of 19"))
        seat.press(Self.pageDown)
        #expect(seat.top.hasSuffix("10–19 of 19") && seat.lines[13].hasPrefix("Odometer"))
        for _ in 0..<50 { seat.press(Self.down) }
        seat.press("\u{1B}[A")
        #expect(seat.top.hasSuffix("9–18 of 19"))
        for home in ["\u{1B}[H", "\u{1B}[1~", "\u{1B}OH"] {
            seat.press("\u{1B}[F")
            #expect(seat.top.hasSuffix("10–19 of 19"))
            seat.press(home)
            #expect(seat.top.hasSuffix("1–10 of 19"))
        }
        seat.press(" ")
        #expect(seat.top.hasSuffix("10–19 of 19"))
        seat.press("\u{1B}[5~")
        #expect(seat.top.hasSuffix("1–10 of 19"))
        // Another part begins at its top, and so does this one when it comes back.
        seat.press("\u{1B}[F32")
        #expect(seat.top.hasSuffix("1–10 of 19"))
    }

    @Test("With all parts on the screen the values scroll")
    func overview() throws {
        var seat = try Seat(.driving)
        func heading() -> String { seat.lines.first { $0.hasPrefix("Values") } ?? "" }
        #expect(heading().hasSuffix("1–7 of 13"))
        seat.press(Self.down)
        #expect(heading().hasSuffix("2–8 of 13"))
        seat.press(Self.pageDown)
        #expect(heading().hasSuffix("7–13 of 13") && seat.lines[22].hasPrefix("Odometer"))
        #expect(seat.lines.contains { $0.hasPrefix("Speed") })
    }

    @Test("u switches the units of values, gauges, trip and freeze frame")
    func units() throws {
        var seat = try Seat(columns: 200, rows: 60)
        seat.press("u")
        let imperial = seat.lines.joined(separator: "\n")
        for words in ["imperial units", " 48 mph", "216 °F", "0–124", "32–266", "15.7 mi", "mpg(US)", "55 mph"] {
            #expect(imperial.contains(words), "\(words)")
        }
        #expect(!imperial.contains("km/h") && !imperial.contains("°C"))
        let metric = seat.press("u").joined(separator: "\n")
        #expect(metric.contains("metric units") && metric.contains(" 77 km/h") && metric.contains("88 km/h"))
    }

    @Test("u makes imperial values metric first")
    func imperialAgent() throws {
        let mph = ("parameters/vehicle_speed", #"{"value": 50, "unit": "mph"}"#)
        let trip = (
            "trip",
            #"{"ongoing": true, "time": "2026-11-21T09:59:50.000Z", "clock": "synchronised", "trip": {"distance": 10}}"#
        )
        var dashboard = try DashboardScene.dashboard(with: [mph, trip])
        let lines = dashboard.lines(at: DashboardScene.now)
        #expect(lines.contains { $0.contains("6.2 mi") && !$0.contains("km") })
        _ = dashboard.type(Array("u".utf8))
        #expect(dashboard.lines(at: DashboardScene.now).contains { $0.contains(" 80 km/h") && $0.hasPrefix("Speed") })
    }

    @Test("An electric car without a signal set gets the next step")
    func missingSet() throws {
        func lines(_ vehicle: String) throws -> [String] {
            try DashboardScene.dashboard(with: [("vehicle", vehicle)]).lines(at: DashboardScene.now)
        }
        let hint = { (line: String) in line.contains("needs a signal set") }
        #expect(try lines(#"{"unsupported": ["engine_speed"]}"#).contains(where: hint))
        let known = #"{"unsupported": ["engine_speed"], "signal_set": {"name": "Kia EV6"}}"#
        #expect(!(try lines(known)).contains(where: hint))
        #expect(!(try lines(#"{"unsupported": ["boost_pressure"]}"#)).contains(where: hint))
    }

    @Test("The question mark shows the keys, arrows scroll them, and any other key goes back")
    func help() throws {
        var seat = try Seat()
        let before = seat.lines
        #expect(seat.press("?").contains { $0.hasPrefix("u ") && $0.contains("imperial") })
        seat.press("\u{1B}[F")
        #expect(seat.lines.contains { $0.hasPrefix("▁▂▅█") })
        #expect(seat.press("x") == before)
        #expect(seat.press("?") != before)
        #expect(seat.press("?") == before)
        seat.press("?")
        #expect(seat.type(Array("q".utf8)) == .quit)
    }

    @Test("p lists the parameters, and the space bar hides one, also when a key's sequence arrives in pieces")
    func chooser() throws {
        var seat = try Seat()
        func has(_ text: String) -> Bool { seat.lines.contains { $0.contains(text) } }
        #expect(has("Engine load"))
        #expect(seat.type(Array("p".utf8)) == .none && has("> [x] Engine load"))
        for byte in [0x1B, 0x5B, 0x42] as [UInt8] { _ = seat.type([byte]) }
        #expect(has("> [x] Oil pressure"))
        seat.press("\u{1B}[F")
        #expect(has("> [x] Odometer"))
        seat.press("\u{1B}[5~\u{1B}[H ")
        #expect(has("> [ ] Engine load"))
        _ = seat.type([0x1B])
        _ = seat.type([])
        #expect(!has("Engine load") && has("Speed"))
        #expect(seat.press("2").contains { $0.hasPrefix("Values") } && !has("Engine load"))
        #expect(!seat.press("p").isEmpty && has("> [ ] Engine load"))
        seat.press("a\r")
        #expect(has("Engine load") && seat.top.hasPrefix("Values"))
        seat.press("pp")
        #expect(seat.top.hasPrefix("Values"))
    }

    @Test("l draws all lines anew, and q quits")
    func redraw() throws {
        var dashboard = try DashboardVehicle.driving.dashboard(columns: 80, rows: 24)
        _ = dashboard.frame(at: at(100), time: DashboardScene.date)
        #expect(dashboard.frame(at: at(101), time: DashboardScene.date).isEmpty)
        _ = dashboard.type(Array("l".utf8))
        let frame = dashboard.frame(at: at(101), time: DashboardScene.date)
        #expect(frame.hasPrefix("\u{1B}[2J") && frame.contains("Speed"))
        #expect(dashboard.type(Array("q".utf8)) == .quit)
    }
}
