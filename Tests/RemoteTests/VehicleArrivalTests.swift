// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Subscriber
import Contract
import MQTT
import Remote
import Testing
import Base

@Suite("A vehicle that is waited for")
struct VehicleArrivalTests {
    private static let refused = Timestamp("2026-11-21T10:00:00Z")

    private static func arrival(since: Timestamp? = Self.refused) throws -> VehicleArrival {
        try VehicleArrival(of: "van-12", since: since, topics: fleetTopics, end: at(300))
    }

    private static func status(_ time: String, link: String = "connected", isConfirmed: Bool = true) -> String {
        "{\"time\":\"2026-11-21T\(time)Z\",\"link\":\"\(link)\",\"vehicle_confirmed\":\(isConfirmed)}"
    }

    @Test("It is there once its agent says so, later than it said that it is not")
    func arrives() throws {
        var arrival = try Self.arrival()
        #expect(arrival.subscribed([true, true], at: at(0)).isEmpty)
        for (path, payload) in [
            ("van-12/status", Self.status("09:59:59")), ("van-12/availability", "online"),
            ("van-12/status", Self.status("10:00:01", link: "searching")),
            ("van-12/status", Self.status("10:00:02", isConfirmed: false)), ("van-12/status", "{}"),
            ("van-13/status", Self.status("10:00:03")), ("van-12/vehicle", "{}"),
        ] {
            #expect(arrival.received(try message(path, payload), at: at(1)).isEmpty, "\(path) \(payload)")
        }
        let status = try message("van-12/status", Self.status("10:00:04"))
        #expect(arrival.received(status, at: at(2)) == [.finish(.connected)])
    }

    @Test("It may be there already, and what tells of it may come in any order")
    func isThere() throws {
        var arrival = try Self.arrival()
        #expect(arrival.received(try message("van-12/status", Self.status("10:00:00")), at: at(0)).isEmpty)
        #expect(arrival.received(try message("van-12/availability", "online"), at: at(0)) == [.finish(.connected)])
        arrival = try Self.arrival(since: nil)
        _ = arrival.received(try message("van-12/availability", "online"), at: at(0))
        let old = try message("van-12/status", Self.status("01:00:00"))
        #expect(arrival.received(old, at: at(0)) == [.finish(.connected)])
    }

    @Test("It is not waited for longer than the command is valid, nor where nobody may look")
    func ends() throws {
        var arrival = try Self.arrival()
        #expect(arrival.passed(at: at(299.9)).isEmpty)
        #expect(arrival.lost(.connectionLost("test")) == [.tell(.lost(.connectionLost("test")))])
        #expect(arrival.passed(at: at(300)) == [.finish(.notInTime)])
        #expect(arrival.stopped() == [.finish(.notInTime)])
        #expect(arrival.subscribed([true, false], at: at(0)) == [.finish(.notReadable)])
    }
}
