// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The bytes that went to the broker on a day.
package struct DayTraffic: Hashable, Sendable {
    /// The number of the day since 1970, in UTC.
    package var date: Int64
    package var bytes: Int

    package init(date: Int64, bytes: Int) {
        self.date = date
        self.bytes = bytes
    }
}

extension Store {
    /// Keeps what was sent on a day, with whatever is written next: it is not worth a commit of its own.
    package func remember(_ traffic: DayTraffic) {
        self.remembered.traffic = traffic
    }
}
