// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import MQTT
import Remote
import Testing

@testable import Subscriber

@Suite("The vehicles of a fleet")
struct FleetTests {
    @Test("Overlong texts in retained messages are ignored, and cost no quadratic time")
    func strangers() throws {
        let marks = String(repeating: "\u{0301}\u{0323}", count: 8000)
        var fleet = Fleet(fleetTopics)
        fleet.receive(try message("van-1/availability", "online"))
        for status in [#"{"agent":"\#(marks)"}"#, #"{"\#(marks)":1}"#, #"{"adapter":{"identity":"\#(marks)"}}"#] {
            fleet.receive(try message("van-1/status", status))
            #expect(fleet.vehicles[0].status == .null)
        }
        // Overlong topics are ignored, too.
        fleet.receive(try message("van-1/\(marks)", "{}"))
        fleet.receive(try message("\(marks)/status", "{}"))
        #expect(fleet.vehicles.map(\.name) == ["van-1"] && fleet.ignored == 0)
        #expect(fleetTopics.split(try Topic("obd/van-1/\(String(repeating: "x", count: 257))")) == nil)
        #expect(fleetTopics.split(try Topic("obd/van-1/\(String(repeating: "x", count: 256))"))?.vehicle == "van-1")
    }

    @Test("Retained messages give the state of each vehicle")
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

    @Test(
        "The ignition is the present one only while the vehicle can be seen",
        arguments: [
            (#""link":"connected""#, "connected, ignition running"),
            (#""link":"searching","vehicle_confirmed":false"#, "searching, ignition was running, not confirmed"),
            (#""link":"waiting","parked":true"#, "parked, ignition running"),
        ]
    )
    func activity(state: String, words: String) throws {
        var fleet = Fleet(fleetTopics)
        fleet.receive(try message("van/availability", "online"))
        fleet.receive(try message("van/status", #"{"ignition":"running",\#(state)}"#))
        #expect(fleet.vehicles.map(\.activity) == [words])
    }

    @Test("The provisional name of an agent is left out once the agent has a vehicle")
    func provisionalNames() throws {
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
        "Messages on other topics, and empty ones, make no vehicle",
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

    @Test("An invalid status is ignored", arguments: ["[]", "1", "null", "{\"adapter\":[]}", "\u{7F}"])
    func odd(payload: String) throws {
        var fleet = Fleet(fleetTopics)
        fleet.receive(try message("van/status", payload))
        let picture = try #require(fleet.vehicles.first)
        #expect(picture.adapter == nil && picture.lastSeen == nil && picture.isConfirmed)
    }

    @Test("The vehicles of an agent are those that it serves now, or else the one that was seen last")
    func ownVehicles() throws {
        var fleet = Fleet(fleetTopics)
        for (name, agent, hour) in [("van", "a1", 10), ("truck", "a1", 12), ("bus", "b2", 13)] {
            fleet.receive(try message("\(name)/availability", "offline"))
            let status = "{\"agent\":\"\(agent)\",\"time\":\"2026-11-21T\(hour):00:00Z\"}"
            fleet.receive(try message("\(name)/status", status))
        }
        #expect(fleet.vehicles(of: "a1").map(\.name) == ["truck"])
        fleet.receive(try message("van/availability", "online"))
        #expect(fleet.vehicles(of: "a1").map(\.name) == ["van"])
        #expect(fleet.vehicles(of: "c3").isEmpty)
    }

    @Test("Vehicles that are online at once with one agent id are told apart from those that one agent served in turn")
    func copies() throws {
        var fleet = Fleet(fleetTopics)
        let states = [
            ("van-1", "a1", "online"), ("bus", "b2", "online"), ("van-2", "a1", "online"), ("car", "b2", "offline"),
            ("truck", "a1", "offline"),
        ]
        for (name, agent, availability) in states {
            fleet.receive(try message("\(name)/availability", availability))
            fleet.receive(try message("\(name)/status", "{\"agent\":\"\(agent)\"}"))
        }
        // The agent of this one is unknown.
        fleet.receive(try message("tram/availability", "online"))
        #expect(fleet.vehiclesOfOneAgent.map { $0.map(\.name) } == [["van-1", "van-2"]])
    }

    @Test("Messages of vehicles beyond the limit are counted, and not stored")
    func bound() throws {
        var fleet = Fleet(fleetTopics)
        for number in 0..<(Fleet.limit + 5) { fleet.receive(try message("v\(number)/availability", "online")) }
        #expect(fleet.vehicles.count == Fleet.limit && fleet.ignored == 5)
    }

    @Test(
        "The retained messages are complete once the broker answers what the client sends after half a second of silence"
    )
    func quiet() throws {
        var retainedMessages = RetainedMessages([try fleetTopics.filter("status")], until: at(30))
        let (one, two, three) = (
            try message("a/status", "1"), try message("b/status", "2"), try message("c/status", "3")
        )
        #expect(retainedMessages.timePassed(at: at(5)).isEmpty)
        #expect(retainedMessages.messageReceived(one, at: at(5)).isEmpty)
        #expect(retainedMessages.subscriptionAnswered([true], at: at(5)).isEmpty)
        #expect(retainedMessages.timePassed(at: at(5.4)).isEmpty)
        #expect(retainedMessages.messageReceived(two, at: at(5.4)).isEmpty)
        #expect(retainedMessages.timePassed(at: at(5.8)).isEmpty)
        #expect(retainedMessages.timePassed(at: at(5.9)) == [.unsubscribe(retainedMessages.filters)])
        // The link stood still: the message was sent before the answer.
        #expect(retainedMessages.timePassed(at: at(8)).isEmpty)
        #expect(retainedMessages.messageReceived(three, at: at(8)).isEmpty)
        #expect(retainedMessages.unsubscribed() == [.finish(.collected([one, two, three], isComplete: true))])
    }

    @Test("A broker that has not answered the subscription at the deadline has shown nothing")
    func unanswered() throws {
        var retainedMessages = RetainedMessages([try fleetTopics.filter("status")], until: at(30))
        #expect(retainedMessages.timePassed(at: at(29.9)).isEmpty)
        #expect(retainedMessages.timePassed(at: at(30)) == [.finish(.unanswered(nil))])
    }

    @Test("Live messages without a pause do not delay the end, and without an answer the list is incomplete")
    func live() throws {
        var retainedMessages = RetainedMessages([try fleetTopics.filter("status")], until: at(30))
        _ = retainedMessages.subscriptionAnswered([true], at: at(1))
        let messages = try (0..<40).map { try message("\($0 % 4)/status", "\($0)") }
        var ends: [Int] = []
        for (index, message) in messages.enumerated() {
            let now = at(1 + Double(index) / 10)
            _ = retainedMessages.messageReceived(message, at: now)
            if !retainedMessages.timePassed(at: now).isEmpty { ends.append(index) }
        }
        // Half a second after the last of four topics has come for the first time.
        #expect(ends == [8])
        #expect(retainedMessages.timePassed(at: at(29.9)).isEmpty)
        #expect(retainedMessages.timePassed(at: at(30)) == [.finish(.collected(messages, isComplete: false))])
        // The next connection begins anew.
        _ = retainedMessages.connectionLost(.connectionLost("test"))
        _ = retainedMessages.subscriptionAnswered([true], at: at(20))
        _ = retainedMessages.messageReceived(messages[0], at: at(20))
        #expect(retainedMessages.timePassed(at: at(20.5)) == [.unsubscribe(retainedMessages.filters)])
        #expect(retainedMessages.unsubscribed() == [.finish(.collected([messages[0]], isComplete: true))])
    }

    @Test("The collection ends at its deadline and without permission, and restarts on a new connection")
    func ends() throws {
        let one = try message("a/status", "1")
        var retainedMessages = RetainedMessages([try fleetTopics.filter("status")], until: at(30))
        _ = retainedMessages.subscriptionAnswered([true], at: at(29.8))
        _ = retainedMessages.messageReceived(one, at: at(29.9))
        #expect(retainedMessages.timePassed(at: at(30)) == [.finish(.collected([one], isComplete: false))])
        _ = retainedMessages.connectionLost(.connectionLost("test"))
        #expect(retainedMessages.timePassed(at: at(30)) == [.finish(.unanswered(.connectionLost("test")))])
        _ = retainedMessages.messageReceived(one, at: at(31))
        #expect(retainedMessages.stopRequested() == [.finish(.collected([one], isComplete: false))])
        #expect(retainedMessages.subscriptionAnswered([false], at: at(31)) == [.finish(.forbidden)])
    }
}
