// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// The schedule of the polls.
///
/// Each item has a requested interval. The most overdue item comes first, measured in intervals, so that a link that is
/// too slow stretches all intervals by the same factor. An item that the vehicle does not answer is dead: it is polled
/// rarely.
package struct PollSchedule: Sendable {
    private struct Entry: Sendable {
        var interval: Duration
        /// The time of the last request; nil before the first.
        var asked: MonotonicTime?
        var failures = 0
        /// The number of requests, which orders equally overdue items: the fewest requests come first.
        var count = 0

        var isDead: Bool { self.failures >= PollSchedule.failureLimit }
        /// The time between two requests.
        var period: Duration { self.isDead ? max(self.interval, PollSchedule.revival) : self.interval }
    }

    /// The number of requests in a row without an answer after which an item is dead, and counts as unsupported.
    static let failureLimit = 3
    /// The shortest interval between two requests for a dead item, since its silence may be the fault of the bus.
    static let revival = Duration.seconds(60)
    /// The largest number of requests that follow one to the same destination, while all other items wait.
    static let companionLimit = 8
    /// The time before an item is due from which on it may join the request for an item that is due.
    ///
    /// The time is at most a quarter of the item's interval.
    static let foresight = Duration.milliseconds(500)

    private var entries: [PollItem: Entry] = [:]

    package init(_ intervals: [PollItem: Duration] = [:]) {
        self.select(intervals)
    }

    /// Replaces the polled items and their intervals.
    ///
    /// An item that stays keeps the time of its last request.
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

    /// Returns the next action.
    package func next(at now: MonotonicTime) -> NextAction {
        var best: (item: PollItem, overdue: Double, count: Int)?
        var earliest: MonotonicTime?
        for (item, entry) in self.entries {
            guard let asked = entry.asked else {
                // New items come first, in a stable order.
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

    /// Returns the other items for the same destination that are due now or soon, the most overdue first.
    ///
    /// They follow right after `item`, so that the adapter's settings change less often.
    package func companions(of item: PollItem, at now: MonotonicTime) -> [PollItem] {
        guard let destination = item.destination else { return [] }
        let due = self.entries.compactMap { other, entry -> (item: PollItem, due: MonotonicTime)? in
            guard other != item, other.destination == destination else { return nil }
            let due = entry.asked.map { $0 + entry.period - entry.period / 4 } ?? .zero
            return due <= now ? (other, due) : nil
        }
        return due.sorted { ($0.due, $0.item) < ($1.due, $1.item) }.prefix(Self.companionLimit).map(\.item)
    }

    /// Returns the PIDs that are due now, the most overdue first, and then those that are due soon.
    ///
    /// Dead PIDs are left out, because they are requested alone.
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

    /// Records the request for `item` at `time`.
    package mutating func asked(_ item: PollItem, at time: MonotonicTime) {
        guard let entry = self.entries[item] else { return }
        // The due time counts as the request time if it is close, so that an interval of 0.5 s does not become 0.53 s.
        let due = (entry.asked ?? time) + entry.interval
        // If the request is much later, the link is too slow. Keeping the due time would favor long intervals then.
        let isInStep = entry.asked != nil && due <= time + entry.interval / 4 && time - due < entry.interval / 2
        self.entries[item]?.asked = isInStep ? due : time
        self.entries[item]?.count += 1
    }

    /// Makes `item` due at once, because the answer to its group lacks it, from one ECU or from all.
    package mutating func askAgain(_ item: PollItem) { self.entries[item]?.asked = nil }

    /// Records whether a request for `item` alone was answered.
    package mutating func answered(_ item: PollItem, _ isAnswered: Bool) {
        guard let failures = self.entries[item]?.failures else { return }
        self.entries[item]?.failures = isAnswered ? 0 : failures + 1
    }

    /// Returns the real interval of each item that is not dead.
    ///
    /// A link that is too slow stretches all intervals by the same factor.
    ///
    /// - Parameter time: returns the time on the link that one request for an item takes.
    package func achieved(_ time: (PollItem) -> Duration) -> [PollItem: Duration] {
        let load = self.entries.reduce(0) { $0 + time($1.key).seconds / $1.value.period.seconds }
        return self.entries.filter { !$0.value.isDead }.mapValues { $0.interval * max(1, load) }
    }

    /// The items that are polled rarely because the vehicle does not answer them.
    package var dead: Set<PollItem> {
        Set(self.entries.filter(\.value.isDead).keys)
    }
}
