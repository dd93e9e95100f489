// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc

/// A file descriptor that is closed with its last reference, unless somebody takes it.
package final class Descriptor: Sendable {
    private let number: Locked<Int32>

    /// Takes over `number`.
    package init(_ number: Int32) {
        self.number = Locked(number)
    }

    /// A copy of a descriptor that stays somebody else's; nil where there are too many.
    convenience init?(copyOf number: Int32) {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return nil }
        self.init(copy)
    }

    deinit {
        let number = self.take()
        if number >= 0 { _ = close(number) }
    }

    /// The number, which is the caller's to close from now on; -1 if it was taken before.
    package func take() -> Int32 {
        self.number.withLock { number in
            defer { number = -1 }
            return number
        }
    }

    var borrowed: Int32 { self.number.withLock { $0 } }
}

extension Descriptor: Hashable {
    package static func == (left: Descriptor, right: Descriptor) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
