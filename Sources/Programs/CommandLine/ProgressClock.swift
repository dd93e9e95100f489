// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Tells when the next progress message of a long command is due.
package struct ProgressClock {
    private static let interval = Duration.seconds(2)

    private var next = ContinuousClock.now + Self.interval

    package init() {}

    /// Returns whether a message is due now.
    ///
    /// If it is, the next one is due two seconds later.
    package mutating func isDue() -> Bool {
        guard ContinuousClock.now >= self.next else { return false }
        self.next = .now + Self.interval
        return true
    }
}
