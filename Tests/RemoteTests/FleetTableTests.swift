// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import MQTT
import Testing

@testable import Subscriber

@Suite("The list of vehicles")
struct FleetTableTests {
    private static func table(_ messages: [(String, String)]) throws -> FleetTable {
        var fleet = Fleet(fleetTopics)
        for (path, payload) in messages { fleet.receive(try message(path, payload)) }
        return FleetTable(fleet.all, at: try #require(Timestamp("2026-11-21T12:00:00Z")))
    }

    /// A vehicle with all that the long form shows.
    private static let status = #"""
        {"agent":"a1","time":"2026-11-21T11:59:30.000Z","link":"connected","clock":"synchronised",
        "adapter":{"address":"ble","rssi":-67},"battery":{"voltage":12.4,"time":"2026-11-21T09:00:00.000Z","low":true},
        "outbox":{"records":12,"dropped":3,"oldest":"2026-11-21T10:00:00.000Z"},"store":{"state":"disk"},
        "budget":{"bytes":2000000,"level":"slowed"},"sent_today":1600000}
        """#

    @Test(
        "The long form shows outbox, store, clock, signal, battery, budget, and the age of a voltage that is not of now"
    )
    func long() throws {
        let table = try Self.table([("van/availability", "online"), ("van/status", Self.status)])
        #expect(
            table.longRows == [
                ["vehicle", "is", "last seen", "outbox", "store", "clock", "signal", "battery", "budget", "problem"],
                [
                    "van", "online", "30 s ago", "12, oldest 2 h ago, 3 dropped", "disk", "set", "-67 dBm",
                    "12.4 V, low, 3 h ago", "80 %, slowed", "",
                ],
            ]
        )
        #expect(table.rows[1].count == table.rows[0].count && table.longRows[1].count == table.longRows[0].count)
    }

    @Test("A problem of the past is shown as one, and a present one as it is")
    func problem() throws {
        let last = #""last_problem":{"text":"no headers","time":"2026-11-21T10:00:00.000Z"}"#
        var table = try Self.table([("van/status", "{\(last)}")])
        #expect(table.longRows[1].last == "last, 2 h ago: no headers")
        table = try Self.table([("van/status", #"{"problem":"no headers",\#(last)}"#)])
        #expect(table.longRows[1].last == "no headers")
    }

    @Test("A vehicle that has been offline for a month is marked, and the note tells how to remove it")
    func absence() throws {
        let table = try Self.table([
            ("old/availability", "offline"), ("old/status", #"{"time":"2026-10-21T12:00:00.000Z"}"#),
            ("new/availability", "offline"), ("new/status", #"{"time":"2026-11-20T12:00:00.000Z"}"#),
            ("on/availability", "online"), ("on/status", #"{"time":"2020-11-20T12:00:00.000Z"}"#),
        ])
        #expect(
            table.rows.dropFirst().map { $0[0] + " " + $0[2] } == ["new offline", "old offline, long", "on online"]
        )
        #expect(table.absenceNote?.contains("30 days: old. Try: obd-remote forget") == true)
        #expect(try Self.table([("on/availability", "online")]).absenceNote == nil)
    }

    @Test(
        "Nonsense in a status is left out of the table",
        arguments: [
            #"{"adapter":{"rssi":1e300},"budget":{"bytes":1,"level":"x"},"sent_today":1e300}"#,
            #"{"battery":{"voltage":"x"},"outbox":[],"store":7,"clock":{}}"#, "[]",
        ]
    )
    func nonsense(status: String) throws {
        let row = try Self.table([("van/status", status)]).longRows[1]
        #expect(row == ["van", "unknown", "never", "", "", "", "", "", "", ""])
    }

    @Test(
        "The time at which a vehicle was last seen is unknown if its clock is not set, or ahead",
        arguments: [
            ("synchronised", "11:59:30", "set", "30 s ago"), ("unsynchronised", "11:59:30", "not set", nil),
            ("synchronised", "12:10:00", "set", nil), ("other", "11:59:30", "", "30 s ago"),
        ] as [(String, String, String, String?)]
    )
    func clock(word: String, time: String, state: String, age: String?) throws {
        let status = #"{"clock":"\#(word)","time":"2026-11-21T\#(time).000Z"}"#
        let row = try Self.table([("van/status", status)]).longRows[1]
        #expect(row[2] == age ?? "at an unknown time" && row[5] == state)
    }

    @Test("JSON has what the long form shows")
    func json() throws {
        var fleet = Fleet(fleetTopics)
        fleet.receive(try message("van/status", Self.status))
        let json = try #require(fleet.all.first).json
        #expect(json["outbox"]["records"] == 12 && json["signal"] == -67 && json["budget"]["level"] == "slowed")
        #expect(json["battery"]["voltage"] == 12.4 && json["store"]["state"] == "disk" && json["forerunner"] == false)
    }
}

@Suite("What a broker retains of a vehicle")
struct RetainedTracesTests {
    private static func traces(of vehicle: String, _ messages: [(String, String)]) throws -> RetainedTraces {
        var traces = RetainedTraces(of: vehicle)
        for (path, payload) in messages { traces.receive(try message(path, payload), on: fleetTopics) }
        return traces
    }

    @Test("Everything below the vehicle's topic goes, and its device in Home Assistant by VIN, agent and name")
    func filters() throws {
        let traces = try Self.traces(
            of: "van 7",
            [
                ("van 7/availability", "offline"), ("van 7/status", #"{"agent":"a1","time":"2026-11-21T10:00:00Z"}"#),
                ("van 7/vehicle", #"{"vin":"ZZZSMVLATR4700893"}"#), ("van 7/parameters/engine_speed/7E9", "{}"),
                ("van 8/status", #"{"agent":"b2"}"#), ("van 7/codes", ""),
            ]
        )
        #expect(traces.topics.count == 4 && !traces.isOnline && traces.lastSeen != nil)
        #expect(
            try traces.filters(fleetTopics, discovery: try Topic("homeassistant")).map(\.description) == [
                "homeassistant/device/ZZZSMVLATR4700893/config", "homeassistant/+/ZZZSMVLATR4700893/+/config",
                "homeassistant/device/agent-a1-van_7/config", "homeassistant/+/agent-a1-van_7/+/config",
                "obd/van 7/#",
            ]
        )
    }

    @Test("The provisional name of an agent goes by itself; a vehicle of an agent that is online is told")
    func provisional() throws {
        let traces = try Self.traces(
            of: "agent-a1",
            [("agent-a1/availability", "online"), ("agent-a1/status", #"{"agent":"a1"}"#)]
        )
        #expect(traces.isOnline)
        #expect(
            try traces.filters(fleetTopics, discovery: try Topic("ha")).map(\.description) == [
                "ha/device/agent-a1/config", "ha/+/agent-a1/+/config", "obd/agent-a1/#",
            ]
        )
    }

    @Test("A VIN that is none cannot widen a filter", arguments: ["+", "#", "a/b", "a+b"])
    func wildcards(vin: String) throws {
        let traces = try Self.traces(of: "van", [("van/vehicle", #"{"vin":"\#(vin)"}"#)])
        let filters = try traces.filters(fleetTopics, discovery: try Topic("homeassistant")).map(\.description)
        #expect(filters.first?.split(separator: "/").count == 4)
        #expect(filters.dropLast().allSatisfy { $0.contains("_") && !$0.contains("#") })
    }
}
