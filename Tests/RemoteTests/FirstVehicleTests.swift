// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import MQTT
import Remote
import Testing

@testable import Subscriber

@Suite("The wait for the first vehicle, and silence")
struct FirstVehicleTests {
    private static func machine(until deadline: MonotonicTime? = nil) throws -> FirstVehicle {
        try FirstVehicle(fleetTopics, until: deadline) { $0.vehicles }
    }

    private static func agents(_ actions: [FirstVehicle.Action]) -> [String] {
        actions.compactMap { if case .report(.agent(let picture)) = $0 { picture.name } else { nil } }
    }

    @Test("An agent that has not identified its vehicle is reported on each change, and its vehicle ends the wait")
    func found() throws {
        var machine = try Self.machine()
        #expect(machine.subscriptionAnswered([true, true], at: at(0)).isEmpty)
        func receive(_ path: String, _ payload: String) throws -> [FirstVehicle.Action] {
            machine.messageReceived(try message(path, payload), at: at(1))
        }
        let searching = #"{"agent": "12ab", "link": "searching", "time": "2026-11-21T10:00:00.000Z"}"#
        let failing =
            #"{"agent": "12ab", "link": "waiting", "problem": "no adapter", "time": "2026-11-21T10:00:09.000Z"}"#
        #expect(try Self.agents(receive("agent-12ab/availability", "online")).isEmpty)
        #expect(try Self.agents(receive("agent-12ab/status", searching)) == ["agent-12ab"])
        #expect(try Self.agents(receive("agent-12ab/status", searching)).isEmpty)
        #expect(try Self.agents(receive("agent-12ab/status", failing)) == ["agent-12ab"])
        #expect(try receive("van-12/availability", "online").isEmpty)
        #expect(try receive("van-12/status", searching) == [.finish(.found("van-12"))])
    }

    @Test("Silence is reported once, and the deadline ends the wait")
    func silent() throws {
        var machine = try Self.machine(until: at(20))
        #expect(machine.timePassed(at: at(6)).isEmpty)
        _ = machine.subscriptionAnswered([true, true], at: at(6))
        #expect(machine.timePassed(at: at(10.9)).isEmpty)
        #expect(machine.timePassed(at: at(11)) == [.report(.silent)])
        #expect(machine.timePassed(at: at(12)).isEmpty)
        #expect(machine.timePassed(at: at(20)) == [.finish(.timedOut)])
    }

    @Test("A refused subscription ends the wait")
    func forbidden() throws {
        var machine = try Self.machine()
        #expect(machine.subscriptionAnswered([false, false], at: at(0)) == [.finish(.forbidden)])
    }

    @Test("A subscription is silent only while it is granted, and never again after a message")
    func silence() {
        var silence = SilenceWatch()
        #expect(!silence.isSuspicious(at: at(100)))
        silence.subscribed(at: at(100))
        #expect(!silence.isSuspicious(at: at(104.9)) && silence.isSuspicious(at: at(105)))
        silence.connectionLost()
        #expect(!silence.isSuspicious(at: at(200)))
        silence.subscribed(at: at(200))
        silence.messageReceived()
        #expect(silence.hasHeard && !silence.isSuspicious(at: at(300)))
    }

    @Test("A suspicious silence is due once, after the time of the watch, also over several connections")
    func due() {
        var silence = SilenceWatch(after: .seconds(60))
        silence.subscribed(at: at(100))
        let (early, first, second) = (
            silence.isDue(at: at(159.9)), silence.isDue(at: at(160)), silence.isDue(at: at(161))
        )
        #expect(!early && first && !second && silence.isSuspicious(at: at(161)))
        silence.connectionLost()
        silence.subscribed(at: at(200))
        let third = silence.isDue(at: at(300))
        #expect(!third)
    }
}
