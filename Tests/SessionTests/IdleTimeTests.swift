// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@testable import Session

@Suite("The share of a busy link for what is not polled")
struct IdleTimeTests {
    @Test("Work takes no more than its share", arguments: [(IdleTime.Kind.usual, 16), (.information, 64)])
    func share(kind: IdleTime.Kind, part: Int) {
        var idle = IdleTime()
        let start = MonotonicTime(sinceBoot: .seconds(100))
        var (now, worked, length) = (start, Duration.zero, 60)
        while now - start < .seconds(3600) {
            idle.endWork(at: now)
            guard idle.isOpen(kind, at: now) else {
                now = now + .milliseconds(10)
                continue
            }
            idle.begin(kind, at: now)
            length = 60 + (length * 7 + 13) % 240
            (now, worked) = (now + .milliseconds(length), worked + .milliseconds(length))
        }
        let share = worked * part / (now - start)
        #expect(share > 0.9 && share < 1.1, "\(share)")
    }

    @Test("Long work, or a hold of the bus meanwhile, keeps the next one away for 20 s at most, and the other kind not")
    func longest() {
        var idle = IdleTime()
        let start = MonotonicTime(sinceBoot: .milliseconds(1))
        #expect(idle.isOpen(.usual, at: start))
        idle.begin(.usual, at: start)
        let end = start + .seconds(300)
        idle.endWork(at: end)
        #expect(!idle.isOpen(.usual, at: end + .milliseconds(19_990)) && idle.isOpen(.usual, at: end + .seconds(20)))
        #expect(idle.isOpen(.information, at: end))
    }
}
