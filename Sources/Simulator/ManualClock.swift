// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import EventLoop
package import Base

/// A clock that nobody waits for: ``sleep(until:)`` advances it and returns.
///
/// Whole days pass in milliseconds.
package final class ManualClock: MonotonicClock {
    private let time: Locked<MonotonicTime>

    package init(now: MonotonicTime = .zero) {
        self.time = Locked(now)
    }

    package var now: MonotonicTime { self.time.withLock { $0 } }

    /// Lets time pass.
    package func advance(by duration: Duration) {
        self.time.withLock { $0 = $0 + max(.zero, duration) }
    }

    package func sleep(until deadline: MonotonicTime) async throws {
        try Task.checkCancellation()
        self.time.withLock { $0 = max($0, deadline) }
        // Others may have something to do at this time.
        await Task.yield()
    }
}
