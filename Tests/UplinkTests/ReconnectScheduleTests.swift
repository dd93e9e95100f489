// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import MQTT
import Testing

@testable import Uplink

@Suite("The waits between connections to the broker")
struct ReconnectScheduleTests {
    private static let takenOver = MQTTError.closedByBroker(code: 0x8E, reason: "Session taken over")
    private static let lost = MQTTError.connectionLost("The connection was lost.")

    @Test("After a loss the next try comes within a second, and within a minute while no broker listens")
    func ordinary() {
        var schedule = ReconnectSchedule()
        for _ in 1...100 {
            #expect(schedule.wait(after: Self.lost, lifetime: .seconds(60)) <= .seconds(1))
            #expect(schedule.wait(after: .closedUnanswered(""), lifetime: nil) <= .seconds(2))
        }
        for _ in 1...100 { #expect(schedule.wait(after: .closedUnanswered(""), lifetime: nil) <= .seconds(60)) }
        #expect(schedule.rival == nil)
    }

    @Test("A client that was taken over waits for minutes, longer each time, and no two clients wait the same")
    func takenOver() {
        var sums: [Duration] = [.zero, .zero, .zero, .zero]
        var waits: Set<Duration> = []
        for _ in 1...200 {
            var schedule = ReconnectSchedule()
            for index in sums.indices {
                let wait = schedule.wait(after: Self.takenOver, lifetime: .milliseconds(500))
                #expect((.seconds(30)...(.seconds(930))).contains(wait))
                sums[index] += wait
                waits.insert(wait)
            }
            #expect(schedule.rival == .certain)
        }
        // 90, 150, 270 and 480 seconds on average.
        for (shorter, longer) in zip(sums, sums.dropFirst()) { #expect(shorter < longer) }
        #expect(waits.count > 700)
    }

    @Test("Five connections in a row that end at once indicate another client; four do not")
    func suspected() {
        var schedule = ReconnectSchedule()
        for _ in 1...4 { #expect(schedule.wait(after: Self.lost, lifetime: .milliseconds(700)) <= .seconds(1)) }
        #expect(schedule.wait(after: Self.lost, lifetime: .seconds(5)) <= .seconds(1))
        for _ in 1...4 { #expect(schedule.wait(after: Self.lost, lifetime: .milliseconds(700)) <= .seconds(1)) }
        #expect(schedule.rival == nil)
        for _ in 1...3 { #expect(schedule.wait(after: Self.lost, lifetime: .milliseconds(700)) >= .seconds(30)) }
        #expect(schedule.rival == .suspected)
        // A connection that the broker does not accept is one of a broker that restarts. The sign of before stays.
        _ = schedule.wait(after: .closedUnanswered(""), lifetime: nil)
        for _ in 1...4 { #expect(schedule.wait(after: Self.lost, lifetime: .milliseconds(700)) <= .seconds(1)) }
        #expect(schedule.rival == .suspected)
    }

    @Test("A connection of an hour ends the suspicion, and the waits start small again")
    func unrivaled() {
        var schedule = ReconnectSchedule()
        for _ in 1...20 { _ = schedule.wait(after: Self.takenOver, lifetime: .seconds(1)) }
        #expect(schedule.wait(after: Self.lost, lifetime: .seconds(600)) <= .seconds(1))
        #expect(schedule.rival == .certain)
        #expect(schedule.wait(after: Self.lost, lifetime: .seconds(3600)) <= .seconds(1))
        #expect(schedule.rival == nil)
        #expect(schedule.wait(after: Self.takenOver, lifetime: .seconds(1)) <= .seconds(150))
    }

    @Test("Refused credentials are tried after half a minute at the earliest, also without a rival")
    func refused() {
        var schedule = ReconnectSchedule()
        for _ in 1...20 {
            let wait = schedule.wait(after: .refused(.badCredentials), lifetime: nil)
            #expect((.seconds(30)...(.seconds(930))).contains(wait))
        }
        #expect(schedule.rival == nil)
    }
}

extension ReconnectSchedule {
    /// Returns the wait of a client that speaks MQTT 3.1.1.
    fileprivate mutating func wait(after failure: MQTTError, lifetime: Duration?) -> Duration {
        self.wait(after: failure, lifetime: lifetime, version: .v311)
    }
}
