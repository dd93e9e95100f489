// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0


/// A monotonic clock that also knows the date, and how sure that is.
package protocol CalendarClock: MonotonicClock {
    /// Whether the date is right.
    var quality: ClockQuality { get }

    /// The date of a moment, as the clock has it now.
    func timestamp(of time: MonotonicTime) -> Timestamp
}

extension CalendarClock {
    /// The present date.
    package var timestamp: Timestamp { self.timestamp(of: self.now) }
}
