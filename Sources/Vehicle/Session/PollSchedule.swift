// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// What to ask next.
///
/// Each has a wanted interval. The most overdue one comes first, measured in intervals, so that a link that cannot
/// carry the wish stretches all intervals by the same factor. What the vehicle does not answer is hardly asked any more.
package struct PollSchedule: Sendable {
    private struct Entry: Sendable {
        var interval: Duration
        /// When it was asked last; nil until then.
        var asked: MonotonicTime?
        var failures = 0
        /// How often it was asked, to treat those alike that are equally overdue.
        var count = 0

        var isDead: Bool { self.failures >= PollSchedule.failureLimit }
        /// The time until it is asked again.
        var period: Duration { self.isDead ? max(self.interval, PollSchedule.revival) : self.interval }
    }

    /// After so many requests in a row without an answer a parameter counts as one that the vehicle does not have.
    static let failureLimit = 3
    /// How often such a one is tried nevertheless: it may have been the bus.
    static let revival = Duration.seconds(60)
    /// How many requests of one destination follow each other: the others wait meanwhile.
    static let companionLimit = 8
    /// What is due within this time, and within a quarter of its interval, may be asked together with what is due now.
    static let foresight = Duration.milliseconds(500)

    private var entries: [PollItem: Entry] = [:]

    package init(_ intervals: [PollItem: Duration] = [:]) {
        self.select(intervals)
    }

    /// Takes another set.
    ///
    /// What stays in it keeps its place.
    package mutating func select(_ intervals: [PollItem: Duration]) {
        let before = self.entries
        self.entries = intervals.reduce(into: [:]) { entries, wish in
            entries[wish.key] = Entry(interval: wish.value, asked: before[wish.key]?.asked)
        }
    }

    package enum NextAction: Hashable, Sendable {
        case ask(PollItem)
        /// Nothing is due before this time.
        case wait(until: MonotonicTime)
        /// Nothing is selected.
        case idle
    }

    /// The scheduler's only question.
    package func next(at now: MonotonicTime) -> NextAction {
        var best: (item: PollItem, overdue: Double, count: Int)?
        var earliest: MonotonicTime?
        for (item, entry) in self.entries {
            guard let asked = entry.asked else {
                // New ones go first, in a stable order.
                if best?.overdue != .infinity || item < (best?.item ?? item) { best = (item, .infinity, 0) }
                continue
            }
            let due = asked + entry.period
            if due <= now {
                let overdue = (now - asked).seconds / entry.period.seconds
                let place = (-overdue, entry.count)
                if best.map({ place < (-$0.overdue, $0.count) || place == (-$0.overdue, $0.count) && item < $0.item })
                    ?? true
                {
                    best = (item, overdue, entry.count)
                }
            }
            earliest = min(earliest ?? due, due)
        }
        if let best { return .ask(best.item) }
        return earliest.map { .wait(until: $0) } ?? .idle
    }

    /// What else goes to the same destination and is due now or soon, the most overdue first.
    ///
    /// To ask it right after `item` spares the adapter to be turned back and forth.
    package func companions(of item: PollItem, at now: MonotonicTime) -> [PollItem] {
        guard let destination = item.destination else { return [] }
        let due = self.entries.compactMap { other, entry -> (item: PollItem, due: MonotonicTime)? in
            guard other != item, other.destination == destination else { return nil }
            let due = entry.asked.map { $0 + entry.period - entry.period / 4 } ?? .zero
            return due <= now ? (other, due) : nil
        }
        return due.sorted { ($0.due, $0.item) < ($1.due, $1.item) }.prefix(Self.companionLimit).map(\.item)
    }

    /// The PIDs that are due now, the most overdue first, and then those that are due soon.
    ///
    /// What is hardly asked any more is asked alone.
    package func pids(besides first: PID, at now: MonotonicTime) -> [PID] {
        var due: [(pid: PID, overdue: Double, count: Int)] = []
        for (item, entry) in self.entries {
            guard case .pid(let pid) = item, pid != first, !entry.isDead, let asked = entry.asked else { continue }
            let early = min(entry.interval / 4, Self.foresight)
            guard asked + entry.interval - early <= now else { continue }
            due.append((pid, (now - asked).seconds / entry.interval.seconds, entry.count))
        }
        return due.sorted { (-$0.overdue, $0.count, $0.pid) < (-$1.overdue, $1.count, $1.pid) }.map(\.pid)
    }

    /// `item` was asked at `time`.
    package mutating func asked(_ item: PollItem, at time: MonotonicTime) {
        guard let entry = self.entries[item] else { return }
        // In step with the wish where that is possible, so that 0.5 s does not become 0.53 s.
        let due = (entry.asked ?? time) + entry.interval
        // Much later the link can't keep the step, and holding on to it would favour long intervals over short ones.
        let isInStep = entry.asked != nil && due <= time + entry.interval / 4 && time - due < entry.interval / 2
        self.entries[item]?.asked = isInStep ? due : time
        self.entries[item]?.count += 1
    }

    /// The request for `item` was answered by no ECU, or not by all, for it asked for other things too: it is asked again.
    package mutating func askAgain(_ item: PollItem) { self.entries[item]?.asked = nil }

    /// Whether the last request for `item`, and nothing else, was answered.
    package mutating func answered(_ item: PollItem, _ isAnswered: Bool) {
        guard let failures = self.entries[item]?.failures else { return }
        self.entries[item]?.failures = isAnswered ? 0 : failures + 1
    }

    /// How often each is really asked, where one takes so much of the link's time; without what is hardly asked any more.
    ///
    /// Where the link can't carry the wish all intervals are stretched by the same factor.
    package func achieved(_ time: (PollItem) -> Duration) -> [PollItem: Duration] {
        let load = self.entries.reduce(0) { $0 + time($1.key).seconds / $1.value.period.seconds }
        return self.entries.filter { !$0.value.isDead }.mapValues { $0.interval * max(1, load) }
    }

    /// What is hardly asked any more, for want of an answer.
    package var dead: Set<PollItem> {
        Set(self.entries.filter(\.value.isDead).keys)
    }
}
