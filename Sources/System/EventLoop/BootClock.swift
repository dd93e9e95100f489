// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Glibc

/// The machine's monotonic clock, `CLOCK_BOOTTIME`.
package struct BootClock: MonotonicClock {
    package init() {}

    package var now: MonotonicTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        let attoseconds = Int64(time.tv_nsec) * 1_000_000_000
        return MonotonicTime(
            sinceBoot: Duration(secondsComponent: Int64(time.tv_sec), attosecondsComponent: attoseconds)
        )
    }

    package func sleep(until deadline: MonotonicTime) async throws {
        let waiter = Waiter()
        while self.now < deadline {
            try Task.checkCancellation()
            _ = await EventLoop.shared.wait(until: deadline, waiter)
        }
        try Task.checkCancellation()
    }
}
