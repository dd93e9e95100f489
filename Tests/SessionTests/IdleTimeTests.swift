// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Session

@Suite("The share of a busy link for what is not polled")
struct IdleTimeTests {
    @Test("Work of any length takes no more than its share", arguments: [IdleTime.usual, IdleTime.least])
    func share(share: Double) {
        var idle = IdleTime()
        let start = MonotonicTime(sinceBoot: .seconds(100))
        var (now, worked) = (start, Duration.zero)
        while now - start < .seconds(3600) {
            idle.ended(at: now)
            guard idle.isOpen(at: now) else {
                now = now + .milliseconds(60)
                continue
            }
            idle.begin(at: now, share: share)
            let length = Duration.milliseconds(Int.random(in: 60...3000))
            (now, worked) = (now + length, worked + length)
        }
        let part = worked / (now - start)
        #expect(part > share * 0.9 && part < share * 1.1, "\(part)")
    }

    @Test("The first work needs no wait")
    func first() { #expect(IdleTime().isOpen(at: MonotonicTime(sinceBoot: .milliseconds(1)))) }
}
