// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// The schedule of the polls.
///
/// Each item has a requested interval. The most overdue item comes first, measured in intervals, so that a link that is
/// too slow stretches all intervals by the same factor. An item that the vehicle does not answer is dead: it is polled
/// rarely. A custom request that no ECU has answered in this drive is not polled any more.
package struct PollSchedule: Sendable {
    private struct Entry: Sendable {
        var interval: Duration
        /// The destination of the request; nil for all ECUs.
        let destination: Destination?
        let isCustom: Bool
        /// The time of the last request; nil before the first.
        var asked: MonotonicTime?
        var failures = 0
        /// Whether an ECU has shown in this drive that it has the data.
        var isKnown = false
        /// The number of requests, which orders equally overdue items: the fewest requests come first.
        var count = 0

        init(_ item: PollItem, _ interval: Duration, asked: MonotonicTime?) {
            (self.interval, self.destination, self.asked) = (interval, item.destination, asked)
            self.isCustom = if case .custom = item { true } else { false }
        }

        var isDead: Bool { self.failures >= PollSchedule.failureLimit }
        /// Whether the item is put aside for the drive.
        var isAside: Bool { self.isDead && self.isCustom && !self.isKnown }
        /// Whether the item is due within a part of its interval.
        func isDue(at now: MonotonicTime, within part: Int) -> Bool {
            guard let asked = self.asked else { return true }
            // A dead item is polled no more often than it must be.
            return asked + self.period - (self.isDead ? .zero : self.period / part) <= now
        }
        /// The time between two requests.
        var period: Duration { self.isDead ? max(self.interval, PollSchedule.revival) : self.interval }
    }

    /// The number of requests in a row without an answer after which an item is dead, and counts as unsupported.
    static let failureLimit = 3
    /// The shortest interval between two requests for a dead item, since its silence may be the fault of the bus.
    static let revival = Duration.seconds(60)
    /// The time before an item is due from which on it may join the request for an item that is due.
    ///
    /// The time is at most a quarter of the item's interval.
    static let foresight = Duration.milliseconds(500)

    /// The overdue time of an item that was never requested, in seconds: more than that of any other item.
    private static let never = 1e12

    private var entries: [PollItem: Entry] = [:]
    /// Whether some item goes to a single ECU.
    private(set) var hasVisits = false

    package init(_ intervals: [PollItem: Duration] = [:]) {
        self.select(intervals)
    }

    /// Replaces the polled items and their intervals.
    ///
    /// An item that stays keeps the time of its last request, and is put aside if it was before.
    package mutating func select(_ intervals: [PollItem: Duration]) {
        let before = self.entries
        self.entries = intervals.reduce(into: [:]) { entries, wish in
            let old = before[wish.key]
            var entry = Entry(wish.key, wish.value, asked: old?.asked)
            entry.isKnown = old?.isKnown ?? false
            if let old, old.isAside { entry.failures = old.failures }
            entries[wish.key] = entry
        }
        self.hasVisits = self.entries.values.contains { $0.destination != nil }
    }

    package enum NextAction: Hashable, Sendable {
        case ask(PollItem)
        /// Nothing is due before this time.
        case wait(until: MonotonicTime)
        /// Nothing is selected.
        case idle
    }

    /// Returns the next action.
    ///
    /// - Parameter opening: returns the earliest time of a request to the destination; nil leaves its items out.
    package func next(
        at now: MonotonicTime,
        _ opening: (Destination?) -> MonotonicTime? = { _ in .zero }
    ) -> NextAction {
        var best: (item: PollItem, overdue: Double, count: Int)?
        var new: (interval: Duration, item: PollItem)?
        var earliest: MonotonicTime?
        for (item, entry) in self.entries {
            guard !entry.isAside, let opening = opening(entry.destination) else { continue }
            guard let asked = entry.asked else {
                guard opening <= now else {
                    earliest = min(earliest ?? opening, opening)
                    continue
                }
                if new.map({ (entry.interval, item) < $0 }) ?? true { new = (entry.interval, item) }
                continue
            }
            let due = max(asked + entry.period, opening)
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
        // New items come first, and of these the one that is wanted most often.
        if let item = new?.item ?? best?.item { return .ask(item) }
        return earliest.map { .wait(until: $0) } ?? .idle
    }

    /// Returns the item for `destination` that is due first, if it is due now or soon.
    ///
    /// - Parameter isEarly: whether half of its interval is soon, so that it is due together with the others from then
    ///   on, and not a quarter.
    func next(to destination: Destination, at now: MonotonicTime, isEarly: Bool = false) -> PollItem? {
        var best: (due: MonotonicTime, item: PollItem)?
        for (item, entry) in self.entries where entry.destination == destination && !entry.isAside {
            guard entry.isDue(at: now, within: isEarly ? 2 : 4) else { continue }
            let due = entry.asked.map { $0 + entry.period } ?? .zero
            if best.map({ due < $0.due || due == $0.due && item < $0.item }) ?? true { best = (due, item) }
        }
        return best?.item
    }

    /// Returns the number of items that are due now or soon, by the destinations other than all ECUs.
    func dueCounts(at now: MonotonicTime) -> [Destination: Int] {
        self.entries.values.reduce(into: [:]) { counts, entry in
            guard let destination = entry.destination, !entry.isAside, entry.isDue(at: now, within: 4)
            else {
                return
            }
            counts[destination, default: 0] += 1
        }
    }

    /// The limits that the standard parameters, those of all ECUs, set to other requests.
    struct StandardLimits: Hashable, Sendable {
        /// The shortest interval.
        var shortest: Duration
        /// The latest time of the next request.
        ///
        /// No interval grows on average before that time.
        var deadline: MonotonicTime
        /// The item with that deadline.
        var item: PollItem
        /// The earliest time of a request for this item, so that it need not be requested soon.
        var earliest: MonotonicTime
    }

    /// The limits that the standard parameters set; nil if the vehicle answers none.
    var standardLimits: StandardLimits? {
        var limits: StandardLimits?
        for (item, entry) in self.entries where entry.destination == nil && !entry.isDead {
            let due = entry.asked.map { $0 + entry.interval } ?? .zero
            let tolerance = entry.asked == nil ? .zero : entry.interval / 4
            var new = StandardLimits(
                shortest: entry.interval,
                deadline: due + tolerance,
                item: item,
                earliest: due - tolerance
            )
            if let limits {
                new.shortest = min(new.shortest, limits.shortest)
                if (limits.deadline, limits.item) < (new.deadline, item) {
                    (new.deadline, new.item, new.earliest) = (limits.deadline, limits.item, limits.earliest)
                }
            }
            limits = new
        }
        return limits
    }

    /// Returns the PIDs that are due now, the most overdue first, and then those that are due soon.
    ///
    /// Dead PIDs are left out, because they are requested alone.
    package func pids(besides first: PID, at now: MonotonicTime) -> [PID] {
        var due: [(pid: PID, overdue: Double, count: Int)] = []
        for (item, entry) in self.entries {
            guard case .pid(let pid) = item, pid != first, !entry.isDead else { continue }
            guard let asked = entry.asked else {
                // The more often one is wanted, the sooner it comes, as in next(at:).
                due.append((pid, Self.never / entry.interval.seconds, 0))
                continue
            }
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
        if isAnswered { self.entries[item]?.isKnown = true }
    }

    /// Records that an ECU has the data of `item`, and does not send it now.
    mutating func postponed(_ item: PollItem) {
        self.entries[item]?.isKnown = true
        self.answered(item, false)
    }

    /// Records that the ECUs do not have the data of `item`.
    ///
    /// A second refusal in a row proves it.
    mutating func refused(_ item: PollItem) {
        guard let failures = self.entries[item]?.failures else { return }
        self.entries[item]?.failures = max(failures + 1, Self.failureLimit - 1)
    }

    /// Polls the items again that were put aside, because another drive begins.
    mutating func driveBegan() {
        for (item, entry) in self.entries where entry.isAside { self.entries[item]?.failures = 0 }
    }

    // MARK: - Load

    /// Returns the real interval of each item that is not dead.
    ///
    /// A link that is too slow stretches all intervals by the same factor.
    ///
    /// - Parameter time: returns the time on the link that one request for an item takes.
    package func achieved(_ time: (PollItem) -> Duration) -> [PollItem: Duration] {
        let load = self.load(time)
        return self.stretched { _, _ in max(1, load) }
    }

    /// Returns the share of the link that the items need.
    ///
    /// - Parameter time: returns the time on the link that one request for an item takes; nil leaves the item out.
    func load(_ time: (PollItem) -> Duration?) -> Double {
        self.entries.reduce(0) { load, entry in
            guard !entry.value.isAside, let time = time(entry.key) else { return load }
            return load + time.seconds / entry.value.period.seconds
        }
    }

    /// Returns the interval of each item that is not dead, times a factor.
    func stretched(_ factor: (PollItem, Duration) -> Double) -> [PollItem: Duration] {
        Dictionary(
            uniqueKeysWithValues: self.entries.filter { !$0.value.isDead }.map { item, entry in
                (item, entry.interval * factor(item, entry.interval))
            }
        )
    }

    /// The times between two requests, by the destinations other than all ECUs.
    var periods: [Destination: [Duration]] {
        self.entries.values.reduce(into: [:]) { periods, entry in
            guard let destination = entry.destination, !entry.isAside else { return }
            periods[destination, default: []].append(entry.period)
        }
    }

    /// The items that are not polled, or rarely, because the vehicle does not answer them.
    package var dead: Set<PollItem> {
        Set(self.entries.filter(\.value.isDead).keys)
    }
}
