// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// The machine's clock for the date, and what the kernel knows about it.
package enum KernelClock {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package static var millisecondsSince1970: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Whether something such as NTP keeps it right (`STA_UNSYNC` of adjtimex is off).
    package static var isSynchronised: Bool { CLinux_clock_is_synchronised() != 0 }
}
