// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The account of when each part of the agent was in order last, by which an upgrade is judged.
///
/// It counts the time that agents have run, not dates: a machine without a clock judges as well, and a week in a garage
/// without power is no week without a broker.
struct HealthLedger: Sendable {
    /// The time between two publications while nothing changes.
    static let interval = Duration.seconds(60)
    /// The time between two copies for the next process, which cost a write to the card.
    static let copyInterval = Duration.seconds(3600)

    private struct Entry {
        var word = "unknown"
        var since: MonotonicTime
        /// The last time at which the part was in order; nil if it was not in this process.
        var good: MonotonicTime?
        var isGood = false
    }

    /// The settings and the identity of this process; the entries fill in the rest.
    private var health: AgentHealth
    private let start: MonotonicTime
    /// The seconds that former processes of this version had run since each part was in order.
    private let former: [AgentHealth.Part: Int]
    private var entries: [AgentHealth.Part: Entry]
    private var published: MonotonicTime?
    private var copied: MonotonicTime?

    enum Action: Hashable, Sendable {
        case wait
        /// Publish the health; `isCopied`: also for the next process.
        case publish(AgentHealth, isCopied: Bool)
    }

    /// - Parameters:
    ///   - health: the identity and the settings of this process.
    ///   - former: the copy that the former process has left; nil without one.
    init(_ health: AgentHealth, former: AgentHealth?, at now: MonotonicTime) {
        self.health = health
        self.start = now
        let ago = (former?.parts ?? [:]).compactMapValues(\.ago)
        if let former, former.version != health.version {
            (self.health.before, self.health.beforeAgo, self.former) = (former.version, ago, [:])
        } else {
            (self.health.before, self.health.beforeAgo) = (former?.before, former?.beforeAgo ?? [:])
            self.former = ago
        }
        self.entries = [:]
        for part in AgentHealth.Part.allCases { self.entries[part] = Entry(since: now) }
    }

    /// The parts were looked at.
    ///
    /// - Parameter date: returns the date of a time, as the clock knows it now.
    mutating func partsObserved(
        _ states: [AgentHealth.Part: (word: String, isGood: Bool)],
        at now: MonotonicTime,
        date: (MonotonicTime) -> Timestamp
    ) -> Action {
        var changed = self.published.map { now >= $0 + Self.interval } ?? true
        var firsts = false
        for (part, state) in states {
            guard var entry = self.entries[part] else { continue }
            if entry.word != state.word { (entry.word, entry.since, changed) = (state.word, now, true) }
            if state.isGood {
                if entry.good == nil { firsts = true }
                entry.good = now
            }
            entry.isGood = state.isGood
            self.entries[part] = entry
        }
        guard changed || firsts else { return .wait }
        self.published = now
        let isCopied = firsts || (self.copied.map { now >= $0 + Self.copyInterval } ?? true)
        if isCopied { self.copied = now }
        return .publish(self.present(at: now, date: date), isCopied: isCopied)
    }

    private func present(at now: MonotonicTime, date: (MonotonicTime) -> Timestamp) -> AgentHealth {
        var health = self.health
        health.at = Self.seconds(now - .zero)
        for (part, entry) in self.entries {
            let ago =
                if entry.isGood {
                    0
                } else if let good = entry.good {
                    // What is lost is not in order, also within the first second.
                    max(1, Self.seconds(now - good))
                } else {
                    self.former[part].map { max(1, $0) + Self.seconds(now - self.start) }
                }
            health.parts[part] = .init(word: entry.word, since: date(entry.since), ago: ago)
        }
        return health
    }

    static func seconds(_ duration: Duration) -> Int { Int(clamping: duration.components.seconds) }
}
