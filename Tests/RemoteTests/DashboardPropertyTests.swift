// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Remote
import TestSupport
import Testing

@testable import Subscriber

@Suite("What holds for any dashboard")
struct DashboardPropertyTests {
    /// Random messages, sizes and keys, the same for the same seed.
    private struct Dice {
        var numbers: SeededNumbers

        mutating func below(_ limit: Int) -> Int { Int(self.numbers.next() % UInt64(limit)) }

        mutating func pick<Element>(_ elements: [Element]) -> Element { elements[self.below(elements.count)] }

        mutating func text() -> String {
            let words = [
                "", "x", "engine_speed", "soc", "日本語の車", "e\u{301}cran", "\\u001b[2J", "\\u202eboo", "a b", "🚐", "－",
            ]
            let word = self.pick(words)
            return self.below(4) == 0 ? String(repeating: word, count: 1 + self.below(60)) : word
        }

        mutating func value(_ depth: Int = 0) -> String {
            switch self.below(depth > 2 ? 6 : 8) {
            case 0: return "null"
            case 1: return self.below(2) == 0 ? "true" : "false"
            case 2:
                return self.pick(["0", "-1", "1e308", "-1.7e308", "5e-324", "12.345", "4250", "1e999", "99999999999"])
            case 3, 4, 5:
                return "\"\(self.pick(["2026-11-21T09:59:30.000Z", "km/h", "kPa", "connected", self.text()]))\""
            case 6: return "[\((0..<self.below(4)).map { _ in self.value(depth + 1) }.joined(separator: ","))]"
            default: return self.object(depth + 1)
            }
        }

        mutating func object(_ depth: Int) -> String {
            let names = [
                "value", "unit", "label", "time", "clock", "quality", "codes", "code", "description", "states", "ecu",
                "freeze_frame", "values", "unread", "monitors", "tests", "results", "subject", "verdict", "minimum",
                "event", "limit", "limits", "when", "exceeded", "since", "trip", "distance", "duration", "text",
                "severity", "link", "parked", "ignition", "problem", "roles", "charging", "state_of_charge", "vin",
                "known", "mil", "latitude", "longitude", "accuracy", "zone", "misfire", "first_seen", self.text(),
            ]
            let members = (0..<self.below(10)).map { _ in "\"\(self.pick(names))\": \(self.value(depth))" }
            return "{\(members.joined(separator: ","))}"
        }

        mutating func path() -> String {
            let parameters = ["vehicle_speed", "engine_speed", "fuel_level", "soc", "any", "x\(self.below(40))"]
            return self.pick([
                "availability", "status", "vehicle", "codes", "monitors", "trip", "limits", "position", "finding",
                "events", "parameters/\(self.pick(parameters))", "parameters/\(self.pick(parameters))/7E9",
            ])
        }

        mutating func key() -> [UInt8] {
            let keys = [
                "0", "1", "2", "3", "4", "5", "6", "\t", "\u{1B}[Z", "\u{1B}[A", "\u{1B}[B", "\u{1B}[5~", "\u{1B}[6~",
                "\u{1B}[F", "\u{1B}[H", "u", "p", "?", " ", "l", "a", "\r",
            ]
            return self.below(4) == 0 ? [UInt8(self.below(256))] : Array(self.pick(keys).utf8)
        }
    }

    @Test("No line is wider than the screen, and no control character is in one", arguments: 0..<UInt64(24))
    func lines(seed: UInt64) throws {
        var dice = Dice(numbers: SeededNumbers(seed))
        var dashboard = Dashboard(
            fleetTopics,
            vehicle: "van",
            size: .init(columns: 80, rows: 24),
            isColored: false
        )
        dashboard.connected(at: at(1))
        if seed.isMultiple(of: 2) {
            for (path, payload) in DashboardScene.facts {
                dashboard.receive(try message("van/\(path)", payload), at: at(1))
            }
        }
        for step in 0..<60 {
            let time = at(2 + Double(step) * 3)
            for _ in 0..<dice.below(8) {
                var message = try message("van/\(dice.path())", dice.below(12) == 0 ? dice.value() : dice.object(0))
                message.retain = dice.below(3) == 0
                dashboard.receive(message, at: time)
            }
            if dice.below(15) == 0 { dashboard.connectionLost("lost \(dice.text())", at: time) }
            if dice.below(10) == 0 { dashboard.connected(at: time) }
            let columns = dice.pick([1 + dice.below(60), 40, 80, 120, 200, 1 + dice.below(400)])
            let rows = dice.pick([1 + dice.below(12), 15, 24, 40, 60])
            dashboard.resize(.init(columns: columns, rows: rows))
            let key = dice.key()
            if key != Array("q".utf8) { _ = dashboard.type(key) }
            if dice.below(2) == 0 { _ = dashboard.frame(at: time, time: DashboardScene.date) }
            let lines = dashboard.lines(at: ViewerTime(time, DashboardScene.date))
            try #require(lines.count == rows, "seed \(seed), step \(step), \(columns)x\(rows)")
            for line in lines {
                try #require(Cells.width(line) <= columns, "seed \(seed), step \(step), \(columns)x\(rows): \(line)")
                let isPlain = line.unicodeScalars.allSatisfy {
                    $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0 != "\u{202E}"
                }
                try #require(isPlain, "seed \(seed), step \(step): \(line.debugDescription)")
            }
        }
    }

    @Test("With any size and every byte as a key, every line fits the terminal")
    func sizesAndKeys() throws {
        var dashboard = try DashboardVehicle.faulty.dashboard(columns: 80, rows: 24)
        for columns in [1, 2, 7, 20, 41, 64, 109, 110, 169, 170, 200, 400] {
            for rows in [1, 2, 3, 5, 15, 19, 20, 100] {
                dashboard.resize(.init(columns: columns, rows: rows))
                // Every byte at one size, and at all sizes those that do something.
                let keys =
                    columns == 41 && rows == 5 ? Array(UInt8(0)...255) : Array("0p l?x123456\t\u{1B}[B\u{1B}".utf8)
                for byte in keys where byte != UInt8(ascii: "q") {
                    _ = dashboard.type([byte])
                    let lines = dashboard.lines(at: DashboardScene.now)
                    #expect(lines.count == rows && lines.allSatisfy { Cells.width($0) <= columns })
                }
            }
        }
    }

    @Test("A value that is not measured now has its age at any width, and no course")
    func ages() throws {
        for vehicle in [DashboardVehicle.parked, .lost] {
            for columns in stride(from: 36, through: 210, by: 6) {
                for keys in ["0", "1", "2"] {
                    var dashboard = try vehicle.dashboard(columns: columns, rows: 30)
                    _ = dashboard.type(Array(keys.utf8))
                    let lines = dashboard.lines(at: DashboardScene.now)
                    for label in ["Speed", "Engine load", "Fuel type", "Odometer"] {
                        guard let line = lines.first(where: { $0.contains("\(label) ") }) else { continue }
                        let value = line.components(after: "\(label) ")
                        #expect(
                            ["ago", "just now", "age unknown"].contains { value.contains($0) },
                            "\(columns): \(line)"
                        )
                    }
                    #expect(!lines.joined().contains("█") && !lines.joined().contains("▄"))
                }
            }
        }
    }
}

extension String {
    /// Returns the text behind the first occurrence of a text.
    fileprivate func components(after text: String) -> Substring {
        self.ranges(of: text).first.map { self[$0.upperBound...] } ?? ""
    }
}
