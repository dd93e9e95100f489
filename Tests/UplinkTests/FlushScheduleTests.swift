// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Uplink

@Suite("The flushes of the store")
struct FlushScheduleTests {
    private static func time(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(sinceBoot: .milliseconds(milliseconds))
    }

    @Test("The tick nearest to the end of the window flushes")
    func due() {
        var schedule = FlushSchedule(window: .seconds(10), at: .zero)
        let ticks = [9499, 9500, 10_400]
        #expect(ticks.map { schedule.isDue(at: Self.time($0), tick: .seconds(1)) } == [false, true, true])
        schedule.flushed(at: Self.time(9500))
        #expect(!schedule.isDue(at: Self.time(18_999), tick: .seconds(1)) && !schedule.isImmediate)
        #expect(FlushSchedule(window: .zero, at: .zero).isImmediate)
    }

    @Test("A changed outcome is reported once")
    func outcome() {
        var schedule = FlushSchedule(window: .zero, at: .zero)
        #expect(
            [nil, "full", "full", "broken", nil, nil].map { schedule.ended($0) }
                == [false, true, false, true, true, false]
        )
    }
}
