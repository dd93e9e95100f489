// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2
package import Timing

/// Which parameter to ask next.
///
/// Each has a wanted interval. The most overdue one comes first, measured in intervals, so that a link that cannot
/// carry the wish stretches all intervals by the same factor. What the vehicle does not answer is hardly asked any more.
package struct PollSchedule: Sendable {
    private struct Entry: Sendable {
        var interval: Duration
        /// When it was asked last; nil until then.
        var asked: MonotonicTime?
        var failures = 0

        var isDead: Bool { self.failures >= PollSchedule.failureLimit }
        /// The time until it is asked again.
        var period: Duration { self.isDead ? max(self.interval, PollSchedule.revival) : self.interval }
    }

    /// After so many requests in a row without an answer a parameter counts as one that the vehicle does not have.
    static let failureLimit = 3
    /// How often such a one is tried nevertheless: it may have been the bus.
    static let revival = Duration.seconds(60)

    private var entries: [PID: Entry] = [:]

    package init(_ intervals: [PID: Duration] = [:]) {
        self.select(intervals)
    }

    /// Takes another set.
    ///
    /// What stays in it keeps its place.
    package mutating func select(_ intervals: [PID: Duration]) {
        let before = self.entries
        self.entries = intervals.reduce(into: [:]) { entries, wish in
            entries[wish.key] = Entry(interval: wish.value, asked: before[wish.key]?.asked)
        }
    }

    package enum NextAction: Hashable, Sendable {
        case ask(PID)
        /// Nothing is due before this time.
        case wait(until: MonotonicTime)
        /// Nothing is selected.
        case idle
    }

    /// The scheduler's only question.
    package func next(at now: MonotonicTime) -> NextAction {
        var best: (pid: PID, overdue: Double)?
        var earliest: MonotonicTime?
        for (pid, entry) in self.entries {
            guard let asked = entry.asked else {
                // New ones go first, in a stable order.
                if best?.overdue != .infinity || pid < (best?.pid ?? pid) { best = (pid, .infinity) }
                continue
            }
            let due = asked + entry.period
            if due <= now {
                let overdue = (now - asked).seconds / entry.period.seconds
                if overdue > (best?.overdue ?? 0) { best = (pid, overdue) }
            }
            earliest = min(earliest ?? due, due)
        }
        if let best { return .ask(best.pid) }
        return earliest.map { .wait(until: $0) } ?? .idle
    }

    /// `pid` was asked at `time`.
    package mutating func asked(_ pid: PID, at time: MonotonicTime) {
        guard let entry = self.entries[pid] else { return }
        // In step with the wish where that is possible, so that 0.5 s does not become 0.53 s.
        let due = (entry.asked ?? time) + entry.interval
        // Much later the link can't keep the step, and holding on to it would favour long intervals over short ones.
        let isInStep = entry.asked != nil && due <= time && time - due < entry.interval / 2
        self.entries[pid]?.asked = isInStep ? due : time
    }

    /// Whether the last request for `pid` was answered.
    package mutating func answered(_ pid: PID, _ isAnswered: Bool) {
        guard let failures = self.entries[pid]?.failures else { return }
        self.entries[pid]?.failures = isAnswered ? 0 : failures + 1
    }

    /// The parameters that are hardly asked any more, for want of an answer.
    package var dead: [PID] {
        self.entries.filter(\.value.isDead).keys.sorted()
    }
}
