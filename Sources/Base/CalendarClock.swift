// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A monotonic clock that also knows the date, and whether the date is synchronized.
package protocol CalendarClock: MonotonicClock {
    /// Whether the date is synchronized.
    var quality: ClockQuality { get }

    /// Returns the date of a moment, by the clock's present setting.
    func timestamp(of time: MonotonicTime) -> Timestamp
}

extension CalendarClock {
    /// The present date.
    package var timestamp: Timestamp { self.timestamp(of: self.now) }
}
