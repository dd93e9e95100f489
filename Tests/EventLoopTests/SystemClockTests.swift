// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import EventLoop
import Testing

@Suite("The system's clock")
struct SystemClockTests {
    /// A clock that a test advances.
    private struct Boot: MonotonicClock {
        let time = Locked(MonotonicTime(sinceBoot: .seconds(100)))

        var now: MonotonicTime { self.time.withLock { $0 } }

        /// Ends at once: nothing here waits for a time.
        func sleep(until deadline: MonotonicTime) async throws {}
    }

    @Test("A moment keeps its date although readings of the clocks differ by milliseconds, until a clock is set")
    func steadyDate() {
        let (boot, offset) = (Boot(), Locked<Int64>(0))
        let clock = SystemClock(trustsSystem: false, boot: boot) {
            KernelClock(
                millisecondsSince1970: boot.now.sinceBoot.milliseconds + offset.withLock { $0 },
                isSynchronised: true
            )
        }
        let dates = ([0, 1, -1, 4, 1000, 999] as [Int64]).map { milliseconds in
            offset.withLock { $0 = milliseconds }
            boot.time.withLock { $0 = $0 + .seconds(2) }
            return clock.timestamp(of: .zero).milliseconds
        }
        #expect(dates == [0, 0, 0, 0, 1000, 1000])
    }
}
