// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The bytes that were sent to the broker on a day.
package struct DayTraffic: Hashable, Sendable {
    /// The number of the UTC day since 1970.
    package var date: Int64
    package var bytes: Int

    package init(date: Int64, bytes: Int) {
        self.date = date
        self.bytes = bytes
    }
}
