// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Subscriber
import Contract
import MQTT
import Base
import Remote
import Testing

@Suite("Who is there")
struct FleetTests {
    @Test("What a stranger has retained costs nothing that grows with its square, and is no part of the picture")
    func strangers() throws {
        let marks = String(repeating: "\u{0301}\u{0323}", count: 8000)
        var fleet = Fleet(fleetTopics)
        fleet.receive(try message("van-1/availability", "online"))
        for status in [#"{"agent":"\#(marks)"}"#, #"{"\#(marks)":1}"#, #"{"adapter":{"identity":"\#(marks)"}}"#] {
            fleet.receive(try message("van-1/status", status))
            #expect(fleet.vehicles[0].status == .null)
        }
        // Neither has a topic that long a part of it.
        fleet.receive(try message("van-1/\(marks)", "{}"))
        fleet.receive(try message("\(marks)/status", "{}"))
        #expect(fleet.vehicles.map(\.name) == ["van-1"] && fleet.ignored == 0)
        #expect(fleetTopics.split(try Topic("obd/van-1/\(String(repeating: "x", count: 257))")) == nil)
        #expect(fleetTopics.split(try Topic("obd/van-1/\(String(repeating: "x", count: 256))"))?.vehicle == "van-1")
    }

    @Test("What is retained makes a picture of each vehicle")
    func pictures() throws {
        var fleet = Fleet(fleetTopics)
        for (path, payload) in [
            ("van-2/availability", "offline"), ("van-1/availability", "online"),
            (
                "van-1/status",
                #"{"time":"2026-11-21T10:00:00Z","link":"connected","version":"0.1.0","adapter":{"address":"ble","identity":"ELM327 v1.5"},"simulated":true}"#
            ),
            ("van-1/vehicle", #"{"vin":"ZZZSMVLATR4700893"}"#),
            (
                "van-1/codes",
                #"{"known":true,"mil":true,"codes":[{"code":"P0301","ecu":"7E8"},{"code":"P0301","ecu":"7E9"},{"code":"P0420"}]}"#
            ),
            ("van-2/codes", #"{"known":false,"codes":[]}"#), ("van-1/parameters/engine_speed", "{}"),
        ] {
            fleet.receive(try message(path, payload))
        }
        #expect(fleet.vehicles.map(\.name) == ["van-1", "van-2"])
        let first = fleet.vehicles[0]
        #expect(first.availability == .online && first.vin == "ZZZSMVLATR4700893" && first.isSimulated)
        #expect(first.codeCount == 2 && first.mil == true && first.activity == "connected")
        #expect(first.adapter == "ELM327 v1.5" && first.agentVersion == "0.1.0")
        let second = fleet.vehicles[1]
        #expect(second.availability == .offline && second.codeCount == nil && second.lastSeen == nil)
        #expect(second.json["codes"] == .null && second.activity.isEmpty)
    }

    @Test("The name that an agent had before it knew its vehicle is no vehicle once it knows")
    func forerunners() throws {
        var fleet = Fleet(fleetTopics)
        for (path, payload) in [
            ("agent-a1/availability", "offline"), ("agent-a1/status", #"{"agent":"a1"}"#),
            ("agent-b2/availability", "offline"), ("agent-b2/status", #"{"agent":"b2"}"#),
            ("agent-c3/availability", "online"), ("agent-c3/status", #"{"agent":"c3"}"#),
            ("VIN1/availability", "offline"), ("VIN1/status", #"{"agent":"a1"}"#),
            ("VIN3/availability", "offline"), ("VIN3/status", #"{"agent":"c3"}"#),
        ] {
            fleet.receive(try message(path, payload))
        }
        #expect(fleet.vehicles.map(\.name) == ["VIN1", "VIN3", "agent-b2", "agent-c3"])
    }

    @Test(
        "Nonsense makes no vehicle, and no harm",
        arguments: [
            ("other/van/status", "{}"), ("obd", "x"), ("obd//status", "{}"), ("obd/van", "x"), ("obd/van/status", ""),
            ("obd/van/commands", "{}"), ("obdx/van/status", "{}"),
        ]
    )
    func foreign(topic: String, payload: String) throws {
        var fleet = Fleet(fleetTopics)
        fleet.receive(Message(topic: try Topic(topic), payload: Array(payload.utf8)))
        #expect(fleet.vehicles.isEmpty)
    }

    @Test("A status that is something else says nothing", arguments: ["[]", "1", "null", "{\"adapter\":[]}", "\u{7F}"])
    func odd(payload: String) throws {
        var fleet = Fleet(fleetTopics)
        fleet.receive(try message("van/status", payload))
        let picture = try #require(fleet.vehicles.first)
        #expect(picture.adapter == nil && picture.lastSeen == nil && picture.isConfirmed)
    }

    @Test("More vehicles than there can be are counted, and not kept")
    func bound() throws {
        var fleet = Fleet(fleetTopics)
        for number in 0..<(Fleet.limit + 5) { fleet.receive(try message("v\(number)/availability", "online")) }
        #expect(fleet.vehicles.count == Fleet.limit && fleet.ignored == 5)
    }

    @Test("What is retained is all there once nothing has come for a while")
    func quiet() throws {
        var gathering = Gathering([try fleetTopics.filter("status")], until: at(30))
        let (one, two) = (try message("a/status", "1"), try message("b/status", "2"))
        #expect(gathering.passed(at: at(5)).isEmpty)
        #expect(gathering.received(one, at: at(5)).isEmpty)
        #expect(gathering.subscribed([true], at: at(5)).isEmpty)
        #expect(gathering.passed(at: at(5.4)).isEmpty)
        #expect(gathering.received(two, at: at(5.4)).isEmpty)
        #expect(gathering.passed(at: at(5.8)).isEmpty)
        #expect(gathering.passed(at: at(5.9)) == [.finish(.gathered([one, two], isComplete: true))])
    }

    @Test("It ends when the time is up, or where nothing may be read, and begins anew on a new connection")
    func ends() throws {
        let one = try message("a/status", "1")
        var gathering = Gathering([try fleetTopics.filter("status")], until: at(30))
        _ = gathering.subscribed([true], at: at(29.8))
        _ = gathering.received(one, at: at(29.9))
        #expect(gathering.passed(at: at(30)) == [.finish(.gathered([one], isComplete: false))])
        _ = gathering.lost(.connectionLost("test"))
        _ = gathering.received(one, at: at(31))
        #expect(gathering.stopped() == [.finish(.gathered([one], isComplete: false))])
        #expect(gathering.subscribed([false], at: at(31)) == [.finish(.forbidden)])
    }
}
