// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import MQTT

@Suite("Another client with the same client id")
struct RivalWatchTests {
    private static let lost = MQTTError.connectionLost("the broker closed the connection")
    private static let takenOver = MQTTError.closedByBroker(code: 0x8E, reason: "session taken over")

    @Test("A broker that says so makes the client wait at once, and a short connection does not shorten the wait")
    func certain() throws {
        var watch = RivalWatch()
        for lifetime in [Duration.milliseconds(200), .seconds(40), .seconds(300)] {
            let answer = watch.wait(after: Self.takenOver, lifetime: lifetime, version: .v311, suspects: false)
            let wait = try #require(answer)
            #expect(wait >= RivalWatch.slowWait)
        }
        #expect(watch.sign == .certain)
    }

    @Test("Five short connections in a row are a sign of it for a service, and for no command")
    func suspected() {
        var (service, command) = (RivalWatch(), RivalWatch())
        for number in 1...6 {
            let wait = service.wait(after: Self.lost, lifetime: .milliseconds(300), version: .v311, suspects: true)
            #expect((wait != nil) == (number >= RivalWatch.shortLimit(.v311)))
            let none = command.wait(after: Self.lost, lifetime: .milliseconds(300), version: .v311, suspects: false)
            #expect(none == nil)
        }
        // A connection that lasts ends the suspicion.
        let lasting = service.wait(after: Self.lost, lifetime: .seconds(6), version: .v311, suspects: true)
        let next = service.wait(after: Self.lost, lifetime: .milliseconds(300), version: .v311, suspects: true)
        #expect(lasting == nil && next == nil)
    }

    @Test("With MQTT 5, a broker that is restarted ten times is no rival; twenty short connections are a sign")
    func reasonCodes() {
        var watch = RivalWatch()
        let waits = (1...20).map { _ in watch.wait(after: Self.lost, lifetime: .seconds(1), version: .v5) }
        #expect(waits.prefix(19).allSatisfy { $0 == nil } && waits[19] != nil)
    }

    @Test("A broker that is not there, or restarts again and again, is no rival")
    func absent() {
        var watch = RivalWatch()
        let waits = (1...20).compactMap { number in
            let lifetime: Duration? = number.isMultiple(of: 3) ? nil : .milliseconds(300)
            return watch.wait(after: Self.lost, lifetime: lifetime, version: .v311, suspects: true)
        }
        #expect(waits.isEmpty)
    }
}
