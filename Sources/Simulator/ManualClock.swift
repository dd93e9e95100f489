// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
internal import EventLoop

/// A clock without real time: ``sleep(until:)`` advances it and returns at once.
///
/// A test of whole days takes milliseconds.
package final class ManualClock: MonotonicClock {
    private let time: Locked<MonotonicTime>

    package init(now: MonotonicTime = .zero) {
        self.time = Locked(now)
    }

    package var now: MonotonicTime { self.time.withLock { $0 } }

    /// Advances the clock.
    package func advance(by duration: Duration) {
        self.time.withLock { $0 = $0 + max(.zero, duration) }
    }

    package func sleep(until deadline: MonotonicTime) async throws {
        try Task.checkCancellation()
        self.time.withLock { $0 = max($0, deadline) }
        // Other tasks may be due at this time.
        await Task.yield()
    }
}
