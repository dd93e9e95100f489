// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import MQTT
import Testing

@testable import Subscriber

@Suite("The search for a vehicle")
struct VehicleSearchTests {
    private static func search() throws -> VehicleSearch {
        try VehicleSearch(of: "van-12", topics: fleetTopics, until: at(30))
    }

    @Test("The first retained message of the vehicle is enough")
    func found() throws {
        var search = try Self.search()
        #expect(search.filters.map(\.description) == ["obd/van-12/availability", "obd/van-12/status"])
        #expect(search.subscriptionAnswered([true, true], at: at(1)).isEmpty)
        #expect(search.timePassed(at: at(1.4)).isEmpty)
        #expect(search.messageReceived(try message("van-12/availability", ""), at: at(1.4)).isEmpty)
        let actions = search.messageReceived(try message("van-12/availability", "offline"), at: at(1.4))
        #expect(actions == [.finish(.found)])
    }

    @Test("Without a message the vehicle is unknown, counted from the last subscription")
    func notFound() throws {
        var search = try Self.search()
        #expect(search.timePassed(at: at(20)).isEmpty)
        #expect(search.subscriptionAnswered([true, false], at: at(20)).isEmpty)
        #expect(search.connectionLost(.notConnected).isEmpty)
        #expect(search.timePassed(at: at(21)).isEmpty)
        #expect(search.subscriptionAnswered([true, false], at: at(22)).isEmpty)
        #expect(search.timePassed(at: at(22.4)).isEmpty)
        #expect(search.timePassed(at: at(22.5)) == [.unsubscribe(search.filters)])
        #expect(search.timePassed(at: at(23)).isEmpty && search.unsubscribed() == [.finish(.notFound)])
    }

    @Test("A broker that shows nothing to this client, or does not answer, decides nothing")
    func undecided() throws {
        var search = try Self.search()
        #expect(search.subscriptionAnswered([false, false], at: at(1)) == [.finish(.undecided)])
        search = try Self.search()
        #expect(search.timePassed(at: at(30)) == [.finish(.undecided)])
        search = try Self.search()
        #expect(search.subscriptionAnswered([true, true], at: at(1)).isEmpty)
        #expect(search.timePassed(at: at(2)) == [.unsubscribe(search.filters)])
        #expect(search.timePassed(at: at(29.9)).isEmpty && search.timePassed(at: at(30)) == [.finish(.undecided)])
        #expect(search.stopRequested() == [.finish(.undecided)])
    }

    @Test("A name that is no level of a topic is an error")
    func name() { #expect(throws: TopicError.self) { try VehicleSearch(of: "a/b", topics: fleetTopics, until: at(1)) } }
}
