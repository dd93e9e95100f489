// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
package import Store
package import Base

/// What went to the broker today, and what that leaves of the day's budget.
///
/// A day is one of UTC where the date is known. Where it is not, it begins with the agent, and again every 24 hours;
/// once the date is known, what was sent until then counts as today's. A clock that is set back begins no new day, and
/// one that is set back and forth over midnight begins it once. A process goes on with the day of the one before it.
package struct DailyBudget: Sendable {
    /// From which part of the budget on live values are slowed, samples thinned, and both end.
    ///
    /// The rest is for status, codes, events and responses, which end never.
    static let slowing = 0.75
    static let thinning = 0.9
    static let exhaustion = 0.95

    /// What a power cut may cost of the account; the disk is written a page less each time.
    private static let memoryStep = 10_000
    private static let day = Duration.seconds(24 * 3600)
    /// The least time between two midnights; clocks are not set back by more at night.
    private static let shortestDay = Duration.seconds(3600)

    /// The bytes of a day; nil: any number.
    package let limit: Int?
    /// The bytes that were sent today.
    package private(set) var sent = 0
    /// The part of ``sent`` that was for strangers: no telemetry pays for it.
    private var sentToStrangers = 0
    private var today: Int64?
    /// What another process has sent.
    private var earlier: DayTraffic?
    private var remembered: DayTraffic?
    private var began: MonotonicTime
    private var midnight: MonotonicTime?

    /// - Parameters:
    ///   - limit: in bytes; nil: none.
    ///   - earlier: what the process before this one has sent, on the last day that it knew.
    package init(limit: Int?, earlier: DayTraffic? = nil, at now: MonotonicTime) {
        self.limit = limit
        self.earlier = earlier
        self.began = now
    }

    /// So many bytes were sent since the last call.
    ///
    /// - Parameter date: the number of the day since 1970 in UTC; nil: nobody knows.
    package mutating func add(_ bytes: Int, at now: MonotonicTime, on date: Int64?) {
        self.turn(to: date, at: now)
        self.sent += max(0, bytes)
    }

    /// So many of the bytes are, or will be, for strangers.
    package mutating func addForStrangers(_ bytes: Int) { self.sentToStrangers += max(0, bytes) }

    /// The bytes of the budget that were sent, without those to strangers.
    private var spent: Int { max(0, self.sent - self.sentToStrangers) }

    /// What is to be written down of the day; nil where that is known well enough, or the date is not.
    ///
    /// - Parameter isLast: nothing more comes.
    package mutating func dayToRemember(isLast: Bool) -> DayTraffic? {
        guard let day = self.today.map({ DayTraffic(date: $0, bytes: self.spent) }) else { return nil }
        if let known = self.remembered, known.date == day.date, !isLast, day.bytes - known.bytes < Self.memoryStep {
            return nil
        }
        self.remembered = day
        return day
    }

    /// What is still to be done.
    package var level: BudgetLevel {
        guard let limit = self.limit else { return .normal }
        let part = Double(self.spent) / Double(max(1, limit))
        if part >= Self.exhaustion { return .exhausted }
        return part >= Self.thinning ? .thinned : part >= Self.slowing ? .slowed : .normal
    }

    private mutating func turn(to date: Int64?, at now: MonotonicTime) {
        guard let date else {
            if now - self.began >= Self.day { self.begin(at: now) }
            return
        }
        defer { self.today = date }
        if let earlier = self.earlier, earlier.date == date { self.sent += earlier.bytes }
        self.earlier = nil
        guard let today = self.today, date > today, self.midnight.map({ now - $0 >= Self.shortestDay }) ?? true else {
            return
        }
        self.midnight = now
        self.begin(at: now)
    }

    private mutating func begin(at now: MonotonicTime) {
        (self.sent, self.sentToStrangers, self.began) = (0, 0, now)
    }
}
