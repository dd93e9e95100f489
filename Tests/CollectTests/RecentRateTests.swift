// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Collect

@Suite("Rates")
struct RecentRateTests {
    private func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(sinceBoot: .seconds(seconds)) }

    @Test("The rate is that of the last minute")
    func rate() {
        var rate = RecentRate()
        let none = rate.perSecond(at: self.time(5))
        for second in 10..<20 as Range<Int64> { rate.add(30, at: self.time(second)) }
        let early = rate.perSecond(at: self.time(19))
        let later = rate.perSecond(at: self.time(69))
        let half = rate.perSecond(at: self.time(74))
        let gone = rate.perSecond(at: self.time(10_000))
        #expect(none == 0)
        #expect(early == 300.0 / 15)
        #expect(later == 5)
        #expect(half == 2.5)
        #expect(gone == 0)
    }
}
