// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract
package import Store

/// The bytes that were sent to the broker today, and the remaining level of the day's budget.
///
/// A day is a UTC day if the date is known. Otherwise it begins with the agent, and again every 24 hours. Once the date
/// is known, all bytes sent until then count as today's. A clock that is set back begins no new day, and a clock
/// that is set back and forth over midnight begins it once. A process continues the day of the previous process.
package struct DailyBudget: Sendable {
    /// The parts of the budget from which live values are slowed, samples are thinned, and both stop.
    ///
    /// The rest is for status, codes, events and responses, which never stop.
    static let slowing = 0.75
    static let thinning = 0.9
    static let exhaustion = 0.95

    /// The number of bytes that a power cut may remove from the account.
    ///
    /// A smaller step would write more pages.
    private static let memoryStep = 10_000
    private static let day = Duration.seconds(24 * 3600)
    /// The bytes of a day for records that are published again: a part of the budget; without a budget, a number.
    static let resendPart = 10
    static let resendLimit = 16 << 20
    /// The shortest time between two midnights.
    ///
    /// At night, clocks are set back by an hour at most.
    private static let shortestDay = Duration.seconds(3600)

    /// The largest number of bytes in a day; nil: any number.
    package let limit: Int?
    /// The number of bytes that were sent today.
    package private(set) var sent = 0
    /// The part of ``sent`` that was for strangers.
    ///
    /// The budget does not include it.
    private var sentToStrangers = 0
    /// The part of ``sent`` for records that were published again.
    private(set) var resent = 0
    private var today: Int64?
    /// The last day of the previous process, until the date is known.
    private var earlier: DayTraffic?
    private var remembered: DayTraffic?
    private var began: MonotonicTime
    private var midnight: MonotonicTime?

    /// - Parameters:
    ///   - limit: the bytes of a day; nil: any number.
    ///   - earlier: the bytes that the previous process sent on its last day with a known date.
    package init(limit: Int?, earlier: DayTraffic? = nil, at now: MonotonicTime) {
        self.limit = limit
        self.earlier = earlier
        self.began = now
    }

    /// Adds bytes that were sent since the last call.
    ///
    /// - Parameter date: the number of the UTC day since 1970; nil if the date is unknown.
    package mutating func add(_ bytes: Int, at now: MonotonicTime, on date: Int64?) {
        self.turn(to: date, at: now)
        self.sent += max(0, bytes)
    }

    /// Excludes bytes for strangers from the budget, which were or will be added with the others.
    package mutating func addForStrangers(_ bytes: Int) { self.sentToStrangers += max(0, bytes) }

    /// Adds bytes of a record that is published again, which were or will be added with the others.
    mutating func addResent(_ bytes: Int) { self.resent += max(0, bytes) }

    /// The bytes that records may still have today that are published again.
    var resendRoom: Int {
        max(0, (self.limit.map { $0 / Self.resendPart } ?? Self.resendLimit) - self.resent)
    }

    /// Returns the time until the next day begins.
    ///
    /// - Parameter date: the present date; nil if it is unknown.
    func timeToNextDay(at now: MonotonicTime, on date: Timestamp?) -> Duration {
        guard let date else { return max(.zero, Self.day - (now - self.began)) }
        let day = Int64(Self.day.milliseconds)
        return .milliseconds(day - (date.milliseconds % day + day) % day)
    }

    /// The sent bytes that count towards the budget.
    private var spent: Int { max(0, self.sent - self.sentToStrangers) }

    /// Returns the day to persist; nil if the persisted one is recent enough, or the date is unknown.
    ///
    /// - Parameter isLast: whether no more bytes follow.
    package mutating func dayToRemember(isLast: Bool) -> DayTraffic? {
        guard let day = self.today.map({ DayTraffic(date: $0, bytes: self.spent, resent: self.resent) }) else {
            return nil
        }
        if let known = self.remembered, known.date == day.date, !isLast, day.bytes - known.bytes < Self.memoryStep {
            return nil
        }
        self.remembered = day
        return day
    }

    /// The restrictions that the sent bytes call for.
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
        if let earlier = self.earlier, earlier.date == date {
            self.sent += earlier.bytes
            self.resent += earlier.resent
        }
        self.earlier = nil
        guard let today = self.today, date > today, self.midnight.map({ now - $0 >= Self.shortestDay }) ?? true else {
            return
        }
        self.midnight = now
        self.begin(at: now)
    }

    private mutating func begin(at now: MonotonicTime) {
        (self.sent, self.sentToStrangers, self.resent, self.began) = (0, 0, 0, now)
    }
}
