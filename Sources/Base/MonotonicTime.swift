// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A time on a clock that only goes forward: the time since the machine booted.
///
/// The clock is Linux's `CLOCK_BOOTTIME`, which also counts while the machine is suspended. A state machine gets the
/// time as an argument; only a ``MonotonicClock`` creates it.
package struct MonotonicTime: Hashable, Comparable, Sendable {
    /// The time since the machine booted.
    package var sinceBoot: Duration

    package init(sinceBoot: Duration) {
        self.sinceBoot = sinceBoot
    }

    package static let zero = MonotonicTime(sinceBoot: .zero)

    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.sinceBoot < right.sinceBoot
    }

    package static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        MonotonicTime(sinceBoot: time.sinceBoot + duration)
    }

    package static func - (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        MonotonicTime(sinceBoot: time.sinceBoot - duration)
    }

    package static func - (later: MonotonicTime, earlier: MonotonicTime) -> Duration {
        later.sinceBoot - earlier.sinceBoot
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded toward zero.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = self.components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    /// The duration in seconds.
    package var seconds: Double {
        let (seconds, attoseconds) = self.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
