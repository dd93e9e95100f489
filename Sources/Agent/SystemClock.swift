// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
import EventLoop
package import Timing

/// The clocks of the machine that the agent runs on.
package struct SystemClock: CalendarClock {
    private let boot = BootClock()
    private let trustsSystem: Bool

    /// - Parameter trustsSystem: whether the date is right whatever the kernel says.
    package init(trustsSystem: Bool) {
        self.trustsSystem = trustsSystem
    }

    package var now: MonotonicTime { self.boot.now }

    package func sleep(until deadline: MonotonicTime) async throws {
        try await self.boot.sleep(until: deadline)
    }

    package var quality: ClockQuality {
        self.trustsSystem || KernelClock.isSynchronised ? .synchronised : .unsynchronised
    }

    package func timestamp(of time: MonotonicTime) -> Timestamp {
        Timestamp(milliseconds: KernelClock.millisecondsSince1970) + (time - self.now)
    }
}
