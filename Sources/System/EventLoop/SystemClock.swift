// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The clocks of the machine that the agent runs on.
///
/// The date is the monotonic clock plus the date at which that was zero. Once that was known it stays known until the
/// machine is started again: what the system's clock does while nobody keeps it right is not followed.
package struct SystemClock: CalendarClock {
    private let boot: any MonotonicClock
    private let kernel: @Sendable () -> KernelClock
    private let trustsSystem: Bool
    /// For how long the kernel is not asked again: every value that is read is dated.
    private static let freshness = Duration.seconds(1)
    /// The date of monotonic zero, as a trusted clock told it last, and when the kernel was asked last.
    private let known = Locked<(start: Timestamp, asked: MonotonicTime)?>(nil)

    /// - Parameters:
    ///   - trustsSystem: whether the date is right whatever the kernel says.
    ///   - boot: the time since the machine was started.
    ///   - kernel: what the kernel says now.
    package init(
        trustsSystem: Bool,
        boot: any MonotonicClock = BootClock(),
        kernel: @escaping @Sendable () -> KernelClock = { .now }
    ) {
        self.trustsSystem = trustsSystem
        self.boot = boot
        self.kernel = kernel
    }

    package var now: MonotonicTime { self.boot.now }

    package func sleep(until deadline: MonotonicTime) async throws {
        try await self.boot.sleep(until: deadline)
    }

    /// Another process of this boot has known the date of monotonic zero.
    package func remember(_ start: Timestamp) {
        self.known.withLock { $0 = $0 ?? (start, .zero) }
    }

    /// Compares the system's clock with the date that a trusted source tells, and trusts the clock if they agree.
    ///
    /// The system's clock is not set.
    ///
    /// - Parameters:
    ///   - date: the date at `time`.
    ///   - tolerance: the largest difference that counts as none.
    /// - Returns: the told date minus that of the system.
    package func compare(_ date: Timestamp, at time: MonotonicTime, tolerance: Duration) -> Duration {
        let now = self.now
        let present = Timestamp(milliseconds: self.kernel().millisecondsSince1970 - now.sinceBoot.milliseconds)
        let difference = date - (present + time.sinceBoot)
        if difference >= .zero - tolerance, difference <= tolerance { self.known.withLock { $0 = (present, now) } }
        return difference
    }

    package var quality: ClockQuality { self.start.quality }

    package func timestamp(of time: MonotonicTime) -> Timestamp { self.start.date + time.sinceBoot }

    private var start: (date: Timestamp, quality: ClockQuality) {
        let now = self.now
        return self.known.withLock { known in
            if let known, now - known.asked < Self.freshness { return (known.start, .synchronised) }
            let kernel = self.kernel()
            let present = Timestamp(milliseconds: kernel.millisecondsSince1970 - now.sinceBoot.milliseconds)
            if self.trustsSystem || kernel.isSynchronised {
                known = (present, now)
            } else {
                known?.asked = now
            }
            return known.map { ($0.start, .synchronised) } ?? (present, .unsynchronised)
        }
    }
}
