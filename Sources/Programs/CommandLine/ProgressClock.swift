// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Says when somebody who waits is to be told again how far it has come.
package struct ProgressClock {
    private static let interval = Duration.seconds(2)

    private var next = ContinuousClock.now + Self.interval

    package init() {}

    package mutating func isDue() -> Bool {
        guard ContinuousClock.now >= self.next else { return false }
        self.next = .now + Self.interval
        return true
    }
}
