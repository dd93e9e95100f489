// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc

/// A file descriptor that is closed with its last reference, unless it is taken before.
package final class OwnedDescriptor: Sendable {
    private let number: Locked<Int32>

    /// Creates an owner of `number`.
    package init(_ number: Int32) {
        self.number = Locked(number)
    }

    /// Creates a copy of a descriptor with another owner; nil if no descriptor is free.
    convenience init?(copyOf number: Int32) {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return nil }
        self.init(copy)
    }

    deinit {
        let number = self.take()
        if number >= 0 { _ = close(number) }
    }

    /// Returns the number, which the caller must close; -1 if it was taken before.
    package func take() -> Int32 {
        self.number.withLock { number in
            defer { number = -1 }
            return number
        }
    }

    var borrowed: Int32 { self.number.withLock { $0 } }
}

extension OwnedDescriptor: Hashable {
    package static func == (left: OwnedDescriptor, right: OwnedDescriptor) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
