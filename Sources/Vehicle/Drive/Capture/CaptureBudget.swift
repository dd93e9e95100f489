// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The numbers of captures in a day, by rule.
package struct CaptureCounts: Hashable, Sendable {
    /// The number of the UTC day since 1970.
    package var date: Int64
    package var byRule: [String: Int]

    package init(date: Int64, byRule: [String: Int]) {
        self.date = date
        self.byRule = byRule
    }
}

/// Decides whether a rule may capture once more today.
///
/// A day is a UTC day if the date is known. Otherwise it begins with the agent, and again every 24 hours.
package struct CaptureBudget: Sendable {
    /// The largest number of captures of all rules in a day.
    package static let total = 20
    /// The largest number of captures that commands ask for in a day; they count by themselves.
    package static let commands = 20
    /// The shortest time between two captures of a rule.
    package static let gap = Duration.seconds(60)
    /// The name under which the captures of commands count.
    package static let commandRule = "command"

    private static let day = Duration.seconds(24 * 3600)

    private var counts: [String: Int] = [:]
    private var lastCapture: [String: MonotonicTime] = [:]
    private var today: Int64?
    private var began: MonotonicTime?
    /// The last day of the previous process, until the date is known.
    private var earlier: CaptureCounts?

    /// - Parameter earlier: the counts that the previous process has kept.
    package init(earlier: CaptureCounts? = nil) {
        self.earlier = earlier
    }

    /// Returns whether a rule may capture now.
    ///
    /// - Parameter date: the number of the UTC day since 1970; nil if the date is unknown.
    package mutating func allows(_ rule: String, perDay: Int, at now: MonotonicTime, on date: Int64?) -> Bool {
        self.turn(to: date, at: now)
        guard self.counts[rule, default: 0] < perDay else { return false }
        guard rule != Self.commandRule else { return true }
        let total = self.counts.reduce(0) { $0 + ($1.key == Self.commandRule ? 0 : $1.value) }
        guard total < Self.total else { return false }
        return self.lastCapture[rule].map { now - $0 >= Self.gap } ?? true
    }

    /// Notes the end of a capture, from which the shortest time to the next one counts.
    package mutating func ended(_ rule: String, at now: MonotonicTime) { self.lastCapture[rule] = now }

    /// Counts a capture that begins.
    ///
    /// - Returns: the counts to keep; nil while the date is unknown.
    package mutating func count(_ rule: String, at now: MonotonicTime, on date: Int64?) -> CaptureCounts? {
        self.turn(to: date, at: now)
        self.counts[rule, default: 0] += 1
        return self.today.map { CaptureCounts(date: $0, byRule: self.counts) }
    }

    private mutating func turn(to date: Int64?, at now: MonotonicTime) {
        let began = self.began ?? now
        self.began = began
        // A clock that stood in the future for a while leaves a date that no day reaches.
        if now - began >= Self.day {
            self.begin(at: now)
            self.today = nil
        }
        guard let date else { return }
        if let earlier = self.earlier, earlier.date == date {
            self.counts.merge(earlier.byRule) { $0 + $1 }
        }
        self.earlier = nil
        defer { self.today = max(date, self.today ?? date) }
        // A clock that is set back begins no new day.
        if let today = self.today, date > today { self.begin(at: now) }
    }

    private mutating func begin(at now: MonotonicTime) {
        self.counts = [:]
        // Commands name rules of their own, so the names of a long run are many.
        self.lastCapture = self.lastCapture.filter { now - $0.value < Self.gap }
        self.began = now
    }
}
