// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The bytes that were sent to the broker on a day.
package struct DayTraffic: Hashable, Sendable {
    /// The number of the UTC day since 1970.
    package var date: Int64
    package var bytes: Int
    /// The part of ``bytes`` for records that were published again.
    package var resent: Int

    package init(date: Int64, bytes: Int, resent: Int = 0) {
        self.date = date
        self.bytes = bytes
        self.resent = resent
    }
}
