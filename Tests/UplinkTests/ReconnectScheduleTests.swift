// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import MQTT
import Testing
import Base

@testable import Uplink

@Suite("The waits between connections to the broker")
struct ReconnectScheduleTests {
    private static let takenOver = MQTTError.closedByBroker(code: 0x8E, reason: "Session taken over")
    private static let lost = MQTTError.connectionLost("The connection was lost.")

    @Test("After a loss the next try comes within a second, and within a minute while nobody listens")
    func ordinary() {
        var schedule = ReconnectSchedule()
        for _ in 1...100 {
            #expect(schedule.wait(after: Self.lost, stood: .seconds(60)) <= .seconds(1))
            #expect(schedule.wait(after: .closedUnanswered(""), stood: nil) <= .seconds(2))
        }
        for _ in 1...100 { #expect(schedule.wait(after: .closedUnanswered(""), stood: nil) <= .seconds(60)) }
        #expect(schedule.rival == nil)
    }

    @Test("A client that was taken over waits for minutes, longer each time, and no two wait the same")
    func takenOver() {
        var sums: [Duration] = [.zero, .zero, .zero, .zero]
        var waits: Set<Duration> = []
        for _ in 1...200 {
            var schedule = ReconnectSchedule()
            for index in sums.indices {
                let wait = schedule.wait(after: Self.takenOver, stood: .milliseconds(500))
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

    @Test("Five connections in a row that end at once are a sign of another client, four are not")
    func suspected() {
        var schedule = ReconnectSchedule()
        for _ in 1...4 { #expect(schedule.wait(after: Self.lost, stood: .milliseconds(700)) <= .seconds(1)) }
        #expect(schedule.wait(after: Self.lost, stood: .seconds(5)) <= .seconds(1))
        for _ in 1...4 { #expect(schedule.wait(after: Self.lost, stood: .milliseconds(700)) <= .seconds(1)) }
        #expect(schedule.rival == nil)
        // A try that the broker does not even accept in between is no sign that all is well.
        _ = schedule.wait(after: .closedUnanswered(""), stood: nil)
        for _ in 1...3 { #expect(schedule.wait(after: Self.lost, stood: .milliseconds(700)) >= .seconds(30)) }
        #expect(schedule.rival == .suspected)
    }

    @Test("A connection that has stood for an hour ends the suspicion, and the waits begin small again")
    func settled() {
        var schedule = ReconnectSchedule()
        for _ in 1...20 { _ = schedule.wait(after: Self.takenOver, stood: .seconds(1)) }
        #expect(schedule.wait(after: Self.lost, stood: .seconds(600)) <= .seconds(1))
        #expect(schedule.rival == .certain)
        #expect(schedule.wait(after: Self.lost, stood: .seconds(3600)) <= .seconds(1))
        #expect(schedule.rival == nil)
        #expect(schedule.wait(after: Self.takenOver, stood: .seconds(1)) <= .seconds(150))
    }

    @Test("Refused credentials are tried after half a minute at the earliest, also beside a rival")
    func refused() {
        var schedule = ReconnectSchedule()
        for _ in 1...20 {
            let wait = schedule.wait(after: .refused(.badCredentials), stood: nil)
            #expect((.seconds(30)...(.seconds(930))).contains(wait))
        }
        #expect(schedule.rival == nil)
    }
}
