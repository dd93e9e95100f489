// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// Wakes a thread that polls: a counter of the kernel's that is readable once somebody has rung.
package final class Doorbell: Sendable {
    /// What to poll for reading.
    package let descriptor: Int32

    package init() {
        self.descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        precondition(self.descriptor >= 0, "no file descriptor left")
    }

    deinit {
        _ = close(self.descriptor)
    }

    /// Makes the descriptor readable.
    package func ring() {
        eventfd_write(self.descriptor, 1)
    }

    /// Makes it unreadable until the next ring.
    package func silence() {
        var value: eventfd_t = 0
        unsafe eventfd_read(self.descriptor, &value)
    }
}
