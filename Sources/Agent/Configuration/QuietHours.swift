// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The hours of the night in the machine's local time: `22:00-06:00`.
package struct QuietHours: Hashable, Sendable {
    /// The start, in minutes since midnight.
    private let start: Int
    /// The end, in minutes since midnight; if it precedes the start, it is on the next day.
    private let end: Int

    /// Parses `HH:MM-HH:MM`; fails if both times are equal.
    package init?(_ text: String) {
        let minutes = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minutes)
        guard minutes.count == 2, let start = minutes[0], let end = minutes[1], start != end else { return nil }
        (self.start, self.end) = (start, end)
    }

    private static func minutes(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }

    /// Whether a time, in minutes since midnight, is in the quiet hours.
    package func contains(minute: Int) -> Bool {
        self.start < self.end
            ? self.start <= minute && minute < self.end : minute >= self.start || minute < self.end
    }
}
