// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import MQTT
import Remote
import Testing

@testable import Subscriber

@Suite("The wait for a vehicle")
struct VehicleArrivalTests {
    private static let refused = Timestamp("2026-11-21T10:00:00Z")

    private static func arrival(since: Timestamp? = Self.refused) throws -> VehicleArrival {
        try VehicleArrival(of: "van-12", since: since, topics: fleetTopics, end: at(300))
    }

    private static func status(_ time: String, link: String = "connected", isConfirmed: Bool = true) -> String {
        "{\"time\":\"2026-11-21T\(time)Z\",\"link\":\"\(link)\",\"vehicle_confirmed\":\(isConfirmed)}"
    }

    @Test("The vehicle is connected once a status after the refusal says so")
    func connected() throws {
        var arrival = try Self.arrival()
        #expect(arrival.subscriptionAnswered([true, true], at: at(0)).isEmpty)
        for (path, payload) in [
            ("van-12/status", Self.status("09:59:59")), ("van-12/availability", "online"),
            ("van-12/status", Self.status("10:00:01", link: "searching")),
            ("van-12/status", Self.status("10:00:02", isConfirmed: false)), ("van-12/status", "{}"),
            ("van-13/status", Self.status("10:00:03")), ("van-12/vehicle", "{}"),
        ] {
            #expect(arrival.messageReceived(try message(path, payload), at: at(1)).isEmpty, "\(path) \(payload)")
        }
        let status = try message("van-12/status", Self.status("10:00:04"))
        #expect(arrival.messageReceived(status, at: at(2)) == [.finish(.connected)])
    }

    @Test("The vehicle may be connected already, and its messages may come in any order")
    func alreadyConnected() throws {
        var arrival = try Self.arrival()
        #expect(arrival.messageReceived(try message("van-12/status", Self.status("10:00:00")), at: at(0)).isEmpty)
        #expect(
            arrival.messageReceived(try message("van-12/availability", "online"), at: at(0)) == [.finish(.connected)]
        )
        arrival = try Self.arrival(since: nil)
        _ = arrival.messageReceived(try message("van-12/availability", "online"), at: at(0))
        let old = try message("van-12/status", Self.status("01:00:00"))
        #expect(arrival.messageReceived(old, at: at(0)) == [.finish(.connected)])
    }

    @Test("The wait ends at its time limit, and without permission to read the status")
    func ends() throws {
        var arrival = try Self.arrival()
        #expect(arrival.timePassed(at: at(299.9)).isEmpty)
        #expect(arrival.connectionLost(.connectionLost("test")) == [.report(.connectionLost(.connectionLost("test")))])
        #expect(arrival.timePassed(at: at(300)) == [.finish(.timedOut)])
        #expect(arrival.stopRequested() == [.finish(.timedOut)])
        #expect(arrival.subscriptionAnswered([true, false], at: at(0)) == [.finish(.statusForbidden)])
    }
}
