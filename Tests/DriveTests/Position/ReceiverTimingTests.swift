// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Drive

@Suite("The time of a fix")
struct ReceiverTimingTests {
    private static let date = Timestamp(milliseconds: 1_790_000_000_000)

    /// Returns the times of fixes that the receiver measures each second, and that arrive after the delays.
    private static func times(_ delays: [Double], drift: Double = 0) -> [Double] {
        var timing = ReceiverTiming()
        return delays.enumerated().map { index, delay in
            let measured = Self.date + .seconds(index)
            let arrival = MonotonicTime.zero + .seconds(100 + Double(index) * (1 + drift) + delay)
            return (timing.measured(measured, receivedAt: arrival) - .zero).seconds
        }
    }

    @Test("Fixes that arrive at once have the times at which they were measured")
    func bunch() {
        let times = Self.times([0.1, 0.1, 1.6, 0.6, 0.1, 0.1])
        for (index, time) in times.enumerated() { #expect(abs(time - 100.1 - Double(index)) < 0.002, "\(times)") }
    }

    @Test("The fix with the shortest delay corrects the times that follow")
    func correction() {
        #expect(abs(Self.times([0.9, 0.2, 0.9])[2] - 102.2) < 0.002)
    }

    @Test("A receiver that sets its clock begins anew")
    func step() {
        #expect(Self.times([0.1, 0.1, 30, 30])[2...] == [132, 133])
    }

    @Test("Clocks that depart by 100 millionths for a day lead to no delay", arguments: [0.0001, -0.0001])
    func drift(drift: Double) {
        let times = Self.times(Array(repeating: 0.1, count: 86_400), drift: drift)
        #expect(abs(times[86_399] - 100.1 - 86_399 * (1 + drift)) < 0.01)
    }
}
