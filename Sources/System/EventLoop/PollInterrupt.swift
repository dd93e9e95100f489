// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// Ends the poll(2) of another thread by a kernel event counter (eventfd(2)).
package final class PollInterrupt: Sendable {
    /// The descriptor to poll for reading.
    package let descriptor: Int32

    package init() {
        self.descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        precondition(self.descriptor >= 0, "no file descriptor left")
    }

    deinit {
        _ = close(self.descriptor)
    }

    /// Makes the descriptor readable.
    package func signal() {
        eventfd_write(self.descriptor, 1)
    }

    /// Makes the descriptor unreadable until the next ``signal()``.
    package func clear() {
        var value: eventfd_t = 0
        unsafe eventfd_read(self.descriptor, &value)
    }
}
