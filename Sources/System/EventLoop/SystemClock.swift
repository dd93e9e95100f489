// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The clocks of the agent's machine.
///
/// The date is the monotonic time plus the date of monotonic zero. Once the date of zero is known, it stays known until
/// the next boot. The agent ignores changes of the system's clock while that is not synchronized.
package struct SystemClock: CalendarClock {
    private let boot: any MonotonicClock
    private let kernel: @Sendable () -> KernelClock
    private let trustsSystem: Bool
    /// The time for which the kernel is not asked again, because the agent needs a date for every value.
    private static let freshness = Duration.seconds(1)
    /// The milliseconds by which readings of the two clocks differ although no clock was set.
    private static let jitter = 5
    /// The date of monotonic zero by a trusted clock, and the time of the last query of the kernel.
    private let known = Locked<(start: Timestamp, asked: MonotonicTime)?>(nil)

    /// - Parameters:
    ///   - trustsSystem: whether to trust the date even if the kernel reports it as unsynchronized.
    ///   - boot: the clock of the time since the boot.
    ///   - kernel: returns the kernel's clock.
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

    /// Takes over the date of monotonic zero that another process of this boot knew.
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
    /// - Returns: `date` minus the date of the system's clock.
    package func compare(_ date: Timestamp, at time: MonotonicTime, tolerance: Duration) -> Duration {
        let now = self.now
        let present = Timestamp(milliseconds: self.kernel().millisecondsSince1970 - now.sinceBoot.milliseconds)
        let difference = date - (present + time.sinceBoot)
        if difference >= .zero - tolerance, difference <= tolerance {
            self.known.withLock { Self.trust(present, at: now, &$0) }
        }
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
                Self.trust(present, at: now, &known)
            } else {
                known?.asked = now
            }
            return known.map { ($0.start, .synchronised) } ?? (present, .unsynchronised)
        }
    }

    /// Takes over the date of monotonic zero by a trusted clock, unless it is the known one.
    ///
    /// Otherwise the same moment would have another date, by a millisecond, each time it is published.
    private static func trust(
        _ start: Timestamp,
        at now: MonotonicTime,
        _ known: inout (start: Timestamp, asked: MonotonicTime)?
    ) {
        let before = known?.start ?? start
        let isSame = (start.milliseconds - before.milliseconds).magnitude <= Self.jitter
        known = (isSame ? before : start, now)
    }
}
