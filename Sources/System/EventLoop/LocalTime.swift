// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The local time of day of the machine.
package enum LocalTime {
    /// Returns the minute of the day, 0 to 1439, in the machine's time zone.
    ///
    /// - Parameter milliseconds: the time in milliseconds since 1970-01-01T00:00:00Z.
    package static func minute(ofMilliseconds milliseconds: Int64) -> Int {
        var seconds = time_t(milliseconds / 1000)
        var parts = unsafe tm()
        unsafe localtime_r(&seconds, &parts)
        return unsafe Int(parts.tm_hour) * 60 + Int(parts.tm_min)
    }
}
