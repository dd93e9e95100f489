// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive
import EventLoop
import Logging
import Simulator
import Testing

@testable import Agent

@Suite("The time of the satellites")
struct ReceiverTimeTests {
    private func quality(receiverAhead: Duration, kernelIsSynchronised: Bool = false) throws -> ClockQuality {
        let boot = ManualClock(now: .zero + .seconds(100))
        let start: Int64 = 1_795_255_200_000
        let clock = SystemClock(trustsSystem: false, boot: boot) {
            KernelClock(
                millisecondsSince1970: start + boot.now.sinceBoot.milliseconds,
                isSynchronised: kernelIsSynchronised
            )
        }
        #expect(clock.quality == (kernelIsSynchronised ? .synchronised : .unsynchronised))
        var time = ReceiverTime(clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let place = try #require(Coordinate(latitude: 52.5, longitude: 13.4))
        for _ in 0..<10 {
            boot.advance(by: .seconds(1))
            let date = Timestamp(milliseconds: start) + boot.now.sinceBoot + receiverAhead
            time.received(Fix(place, receiverTime: date, at: boot.now))
        }
        return clock.quality
    }

    @Test("A clock that agrees to two seconds is trusted")
    func agrees() throws {
        for milliseconds in [-2000, -700, 0, 2000] {
            #expect(try self.quality(receiverAhead: .milliseconds(milliseconds)) == .synchronised)
        }
    }

    @Test("A clock that differs is not, and neither is one that a wrong week would confirm")
    func differs() throws {
        for seconds in [-3, 3, 3600, -1024 * 7 * 24 * 3600] {
            #expect(try self.quality(receiverAhead: .seconds(seconds)) == .unsynchronised)
        }
    }

    @Test("Satellites take no trust from a clock that the kernel trusts")
    func kernel() throws {
        #expect(try self.quality(receiverAhead: .seconds(3600), kernelIsSynchronised: true) == .synchronised)
    }
}
