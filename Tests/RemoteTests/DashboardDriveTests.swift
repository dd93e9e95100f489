// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Remote
import Testing

@testable import Subscriber

@Suite("The drive on the dashboard")
struct DashboardDriveTests {
    /// 2026-11-21T10:00:00Z.
    private static let now = Timestamp(milliseconds: 1_795_255_200_000)

    private static func dashboard(
        columns: Int = 80,
        rows: Int = 24,
        _ messages: [(String, String)]
    ) throws -> Dashboard {
        var dashboard = Dashboard(
            fleetTopics,
            vehicle: "van",
            size: .init(columns: columns, rows: rows),
            isColored: false
        )
        dashboard.connected(at: at(1))
        let present = [("availability", "online"), ("status", #"{"link": "connected", "vehicle_confirmed": true}"#)]
        for (path, payload) in present + messages {
            dashboard.receive(try message("van/\(path)", payload), at: at(1))
        }
        return dashboard
    }

    /// Returns the lines below the lamp, without the blanks at their ends.
    private static func lines(
        columns: Int = 80,
        rows: Int = 24,
        at time: Timestamp = now,
        _ messages: [(String, String)]
    ) throws -> [String] {
        let all = try Self.dashboard(columns: columns, rows: rows, messages).lines(at: ViewerTime(at(1), time))
        return all.drop { !$0.hasPrefix("Lamp") }.dropFirst().prefix { !$0.isEmpty }.map { line in
            line.lastIndex { $0 != " " }.map { String(line[...$0]) } ?? ""
        }
    }

    private static func trip(
        _ figures: String,
        ongoing: Bool,
        time: String = "2026-11-21T09:59:30.000Z",
        end: String = "2026-11-21T07:02:00.000Z",
        clock: String = "synchronised"
    ) -> (String, String) {
        let payload = #"""
            {"v": 1, "time": "\#(time)", "clock": "\#(clock)", "ongoing": \#(ongoing), "totals": {"trips": 3, "distance": 60},
            "trip": {"start": {}, "end": {"time": "\#(end)"}, "duration": 1860, \#(figures)}}
            """#
        return ("trip", payload)
    }

    private static func position(_ members: String, clock: String = "synchronised") -> (String, String) {
        ("position", #"{"v": 1, "clock": "\#(clock)", "age": 0, \#(members)}"#)
    }

    private static let place = #""latitude": 52.51628, "longitude": 13.3777, "accuracy": 7.2"#
    private static let limits = #"""
        {"v": 1, "time": "2026-11-21T09:48:00.000Z", "limits": {
        "hot": {"when": "coolant_temperature > 110", "exceeded": false}, "weak": {"when": "supply_voltage < 11.9"},
        "low_battery": {"when": "state_of_charge < 15", "exceeded": true, "since": "2026-11-21T09:48:00.000Z"}}}
        """#

    @Test("The last trip, an exceeded limit and the position have a line each at 80 columns")
    func wide() throws {
        let lines = try Self.lines([
            Self.trip(#""distance": 25.21, "fuel": 1.6, "fuel_consumption": 6.42"#, ongoing: false),
            ("limits", Self.limits),
            Self.position(#""time": "2026-11-21T09:59:48.000Z", "quality": "good", \#(Self.place)"#),
        ])
        #expect(
            lines == [
                "Limit     low_battery   exceeded 12 min ago   state_of_charge < 15",
                "Trip      ended 2 h ago   25.2 km   31 min   6.4 L/100 km",
                "Place     12 s ago   52.51628, 13.37770   ± 8 m",
            ]
        )
    }

    @Test("What does not fit into 40 columns goes on in the next line, whole")
    func small() throws {
        let lines = try Self.lines(
            columns: 40,
            [
                Self.trip(#""distance": 25.21, "fuel": 1.6, "fuel_consumption": 6.42"#, ongoing: false),
                ("limits", Self.limits),
                Self.position(#""time": "2026-11-21T09:55:00.000Z", "quality": "stale", \#(Self.place)"#),
            ]
        )
        #expect(
            lines == [
                "Limit   low_battery", "        exceeded 12 min ago", "        state_of_charge < 15",
                "Trip    ended 2 h ago   25.2 km   31 min", "        6.4 L/100 km",
                "Place   stale, 5 min ago", "        52.51628, 13.37770   ± 8 m",
            ]
        )
    }

    @Test("A vehicle without trip, limits and position has no lines of them, and none after its topics are emptied")
    func none() throws {
        let place = Self.position(#""time": "2026-11-21T09:59:48.000Z", "quality": "good", \#(Self.place)"#)
        #expect(try Self.lines([]).isEmpty)
        #expect(try Self.lines([("limits", #"{"limits": {"hot": {"when": "a > 1", "exceeded": false}}}"#)]).isEmpty)
        let messages = [Self.trip(#""distance": 1"#, ongoing: true), ("limits", Self.limits), place]
        #expect(try Self.lines(messages).count == 3)
        #expect(try Self.lines(messages + [("trip", ""), ("limits", ""), ("position", "")]).isEmpty)
    }

    @Test(
        "A trip tells whether it goes on, and how old that news is",
        arguments: [
            (true, "2026-11-21T09:59:00.000Z", "synchronised", "under way"),
            (true, "2026-11-21T09:50:00.000Z", "synchronised", "under way 10 min ago"),
            (true, "2026-11-21T09:59:00.000Z", "unsynchronised", "under way at an unknown time"),
            (true, "2026-11-21T10:20:00.000Z", "synchronised", "under way at an unknown time"),
            (false, "2026-11-21T10:00:30.000Z", "synchronised", "ended just now"),
            (false, "2026-11-18T10:00:00.000Z", "synchronised", "ended 3 d ago"),
            (false, "2026-11-21T09:59:00.000Z", "unsynchronised", "ended at an unknown time"),
            (false, "nonsense", "synchronised", "ended at an unknown time"),
        ]
    )
    func tripAges(ongoing: Bool, time: String, clock: String, expected: String) throws {
        let trip = Self.trip(#""energy": 4.25"#, ongoing: ongoing, time: time, end: time, clock: clock)
        #expect(try Self.lines([trip]) == ["Trip      \(expected)   31 min   4.3 kWh"])
    }

    @Test(
        "A position tells its quality and its age, and a zone hides it",
        arguments: [
            (#""time": "2026-11-21T09:59:00.000Z", "quality": "good", "#, "1 min ago"),
            (#""time": "2026-11-21T05:00:00.000Z", "quality": "good", "#, "5 h ago"),
            (#""time": "2026-11-21T09:59:18.000Z", "quality": "jumping", "#, "jumping, 42 s ago"),
            (#""time": "2026-11-21T09:59:18.000Z", "quality": "new_word", "#, "new_word, 42 s ago"),
            (#""quality": "stale", "#, "stale, at an unknown time"),
        ]
    )
    func positions(members: String, expected: String) throws {
        let lines = try Self.lines([Self.position(members + Self.place)])
        #expect(lines == ["Place     \(expected)   52.51628, 13.37770   ± 8 m"])
    }

    @Test("A zone has a name and an age and no coordinates, and a rough position few digits")
    func zones() throws {
        let time = #""time": "2026-11-21T09:00:00.000Z""#
        let zone = Self.position(#"\#(time), "quality": "withheld", "zone": "home", \#(Self.place)"#)
        #expect(try Self.lines([zone]) == ["Place     1 h ago   zone home"])
        let rough = #"\#(time), "quality": "good", "latitude": -0.00001, "longitude": -33.92, "accuracy": 1500"#
        #expect(try Self.lines([Self.position(rough)]) == ["Place     1 h ago   0.00, -33.92   ± 1500 m"])
        for members in [
            #""quality": "withheld""#, #""quality": "good", "latitude": 91, "longitude": 0"#, #""latitude": 1e999"#,
            #""quality": "good", "latitude": 1"#,
        ] { #expect(try Self.lines([Self.position("\(time), \(members)")]).isEmpty, "\(members)") }
    }

    @Test("Many exceeded limits leave room for the rest of the screen")
    func manyLimits() throws {
        let limits = (10..<30).map { #""limit_\#($0)": {"when": "a > \#($0)", "exceeded": true}"# }
        let payload = ("limits", #"{"limits": {\#(limits.joined(separator: ", "))}}"#)
        let lines = try Self.lines([payload])
        let listed = (10..<14).map { "Limit     limit_\($0)   exceeded at an unknown time   a > \($0)" }
        #expect(lines == listed + ["and 16 more limits"])
    }

    @Test("Limits of a machine whose clock is not set tell no age")
    func unsynchronisedLimits() throws {
        let status = #"{"link": "connected", "clock": "unsynchronised"}"#
        let lines = try Self.lines([("status", status), ("limits", Self.limits)])
        #expect(lines == ["Limit     low_battery   exceeded at an unknown time   state_of_charge < 15"])
    }

    @Test("Ages grow without a message, and are written at most once a second")
    func growingAges() throws {
        var dashboard = try Self.dashboard([Self.trip(#""distance": 1"#, ongoing: false)])
        let place = Self.position(#""time": "2026-11-21T09:59:48.000Z", "quality": "good", \#(Self.place)"#)
        dashboard.receive(try message("van/\(place.0)", place.1), at: at(1))
        #expect(dashboard.frame(at: at(1), time: Self.now).contains("12 s ago"))
        #expect(dashboard.frame(at: at(1.9), time: Self.now + .seconds(0.9)).isEmpty)
        let next = dashboard.frame(at: at(2), time: Self.now + .seconds(1))
        #expect(next.contains("13 s ago") && !next.contains("Trip"))
    }

    @Test("Without the broker or the agent, a trip was under way, and no place is the present one")
    func lastKnown() throws {
        let trip = Self.trip(#""distance": 1"#, ongoing: true)
        let offline = try Self.lines([trip, ("availability", "offline")])
        #expect(offline == ["Trip      was under way 30 s ago   1.0 km   31 min"])
        var dashboard = try Self.dashboard([trip])
        dashboard.connectionLost("The connection was lost", at: at(2))
        let lines = dashboard.lines(at: ViewerTime(at(2), Self.now))
        #expect(lines.contains { $0.contains("was under way") } && !lines.contains { $0.contains("   under way") })
    }

    @Test("Foreign text and extreme numbers stay within any terminal")
    func hostile() throws {
        let evil = #""\u001b[2J\u202eboo""#
        let text = "\"\(String(repeating: "x", count: 5000))\""
        for value in [evil, text, "1e308", "-1e308", "null", "[]", "{}"] {
            let places = [
                #""time": \#(value), "quality": \#(value), "zone": \#(value), \#(Self.place)"#,
                #""quality": "withheld", "zone": \#(value)"#,
            ]
            let limit = #"{"when": \#(value), "exceeded": true, "since": \#(value)}"#
            let messages = [
                Self.trip(#""distance": \#(value), "fuel": \#(value), "energy_consumption": \#(value)"#, ongoing: true),
                ("limits", #"{"limits": {"a\u001b[31m": \#(limit)}}"#),
            ]
            for (place, columns) in places.flatMap({ place in [1, 2, 7, 20, 41, 200].map { (place, $0) } }) {
                let dashboard = try Self.dashboard(columns: columns, rows: 30, messages + [Self.position(place)])
                let lines = dashboard.lines(at: ViewerTime(at(1), Self.now))
                #expect(lines.count == 30 && lines.allSatisfy { Cells.width($0) <= columns })
                let scalars = lines.joined().unicodeScalars
                #expect(
                    scalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0 != "\u{202E}" }
                )
            }
        }
    }
}
