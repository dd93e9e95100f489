// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A reading of the machine's real-time clock, with the kernel's synchronization state.
package struct KernelClock: Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package var millisecondsSince1970: Int64
    /// Whether the clock is synchronized, for example by NTP (`STA_UNSYNC` of adjtimex is off).
    package var isSynchronised: Bool

    package init(millisecondsSince1970: Int64, isSynchronised: Bool) {
        self.millisecondsSince1970 = millisecondsSince1970
        self.isSynchronised = isSynchronised
    }

    /// The present reading.
    package static var now: KernelClock {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return KernelClock(
            millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000,
            isSynchronised: CLinux_clock_is_synchronized() != 0
        )
    }
}
