// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc

/// A gate that blocks threads until it is opened, and then stays open.
final class Gate: Sendable {
    private let interrupt = PollInterrupt()

    func pass() {
        var file = pollfd(fd: self.interrupt.descriptor, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&file, 1, -1) < 0 {}
    }

    func open() { self.interrupt.signal() }

    deinit { self.interrupt.signal() }
}
