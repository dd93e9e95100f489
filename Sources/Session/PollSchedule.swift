// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2
package import Timing

/// Which parameter to ask next.
///
/// Each has a wanted interval. The most overdue one comes first, measured in intervals, so that a link that cannot
/// carry the wish stretches all intervals by the same factor. What the vehicle does not answer is left out.
package struct PollSchedule: Sendable {
    private struct Entry: Sendable {
        var interval: Duration
        /// When it was asked last; nil until then.
        var asked: MonotonicTime?
        var failures = 0
    }

    /// After so many requests in a row without an answer a parameter is not asked any more.
    static let failureLimit = 3

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
        /// Nothing is selected that the vehicle answers.
        case idle
    }

    /// The scheduler's only question.
    package func next(at now: MonotonicTime) -> NextAction {
        var best: (pid: PID, overdue: Double)?
        var earliest: MonotonicTime?
        for (pid, entry) in self.entries where entry.failures < Self.failureLimit {
            guard let asked = entry.asked else {
                // New ones go first, in a stable order.
                if best?.overdue != .infinity || pid < (best?.pid ?? pid) { best = (pid, .infinity) }
                continue
            }
            let due = asked + entry.interval
            if due <= now {
                let overdue = (now - asked).seconds / entry.interval.seconds
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
        self.entries[pid]?.asked = due <= time && time - due < entry.interval && entry.asked != nil ? due : time
    }

    /// Whether the last request for `pid` was answered.
    package mutating func answered(_ pid: PID, _ isAnswered: Bool) {
        guard let failures = self.entries[pid]?.failures else { return }
        self.entries[pid]?.failures = isAnswered ? 0 : failures + 1
    }

    /// The parameters that are not asked any more, for want of an answer.
    package var dead: [PID] {
        self.entries.filter { $0.value.failures >= Self.failureLimit }.keys.sorted()
    }
}
