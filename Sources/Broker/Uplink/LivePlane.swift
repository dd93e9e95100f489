// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
package import Base

/// The newest of everything, retained: which of it is to be published when.
///
/// Nothing is queued. While there is no broker, and while a topic may not be published again yet, a newer payload
/// replaces the older.
package struct LivePlane: Sendable {
    /// How values are published.
    package enum Mode: Sendable {
        /// As they come.
        case always
        /// Slowly, until somebody asks for more.
        case onDemand
        /// Not at all.
        case off
    }

    /// How often a topic may speak.
    private struct Pace {
        /// The least time between two publishes.
        var spacing: Duration
        /// After so long a payload that says nothing new is published all the same.
        var refresh: Duration

        static let full = Pace(spacing: .seconds(1), refresh: .seconds(60))
        /// Of a value.
        static let slow = Pace(spacing: .seconds(60), refresh: .seconds(600))
        /// Of what is no value: its news are worth their bytes on any network.
        static let rare = Pace(spacing: .seconds(1), refresh: .seconds(600))
    }

    private struct Entry: Sendable {
        var newest: LivePayload
        /// What the broker has.
        var published: (payload: LivePayload, time: MonotonicTime)?

        /// Whether the newest says what the broker does not have.
        var isNews: Bool { self.published.map { self.newest.isNews(after: $0.payload) } ?? true }
    }

    /// The longest that a boost lasts.
    package static let longestBoost = Duration.seconds(600)

    /// How much is left of the day's budget.
    package var budget = BudgetLevel.normal
    private let mode: Mode
    private var entries: [TopicPath: Entry] = [:]
    private var boosts: [String: MonotonicTime] = [:]
    private var isConnected = false

    package init(mode: Mode) {
        self.mode = mode
    }

    package enum UpdateAction: Sendable {
        case none
        case publish(LivePayload)
    }

    /// There is something newer to say on `path`.
    package mutating func update(_ path: TopicPath, _ payload: LivePayload, at now: MonotonicTime) -> UpdateAction {
        if self.mode == .off, case .parameter = path { return .none }
        self.entries[path, default: Entry(newest: payload)].newest = payload
        guard self.isConnected, let pace = self.pace(of: path, at: now), let entry = self.entries[path] else {
            return .none
        }
        let wait = entry.isNews ? pace.spacing : pace.refresh
        guard entry.published.map({ now - $0.time >= wait }) ?? true else { return .none }
        return .publish(self.publish(path, entry, at: now))
    }

    /// What has waited long enough: call it once a second.
    package mutating func due(at now: MonotonicTime) -> [(path: TopicPath, payload: LivePayload)] {
        guard self.isConnected else { return [] }
        return self.entries.compactMap { path, entry in
            guard let pace = self.pace(of: path, at: now), entry.isNews,
                entry.published.map({ now - $0.time >= pace.spacing }) ?? true
            else { return nil }
            return (path, self.publish(path, entry, at: now))
        }
    }

    /// Publishes parameters as they come, whatever the mode but ``Mode/off``, while the budget lasts.
    ///
    /// - Parameter duration: at most ``longestBoost``; zero ends it.
    package mutating func boost(_ names: Set<String>, for duration: Duration, at now: MonotonicTime) {
        self.boosts = self.boosts.filter { $0.value > now }
        for name in names { self.boosts[name] = now + min(duration, Self.longestBoost) }
    }

    /// A broker is there, and it may be another than the last: everything is published again.
    package mutating func connected() {
        self.isConnected = true
        for path in self.entries.keys { self.entries[path]?.published = nil }
    }

    /// The broker is gone.
    package mutating func disconnected() {
        self.isConnected = false
    }

    /// Forgets topics, and tells which of them a broker may have.
    package mutating func remove(where isGone: (TopicPath) -> Bool) -> [TopicPath] {
        let gone = self.entries.filter { isGone($0.key) }
        for path in gone.keys { self.entries[path] = nil }
        return gone.filter { $0.value.published != nil }.map(\.key)
    }

    /// Another vehicle: nothing of the old one is said of it.
    package mutating func removeAll() {
        self.entries = [:]
        self.boosts = [:]
    }

    /// Nil for what may not speak at all.
    private func pace(of path: TopicPath, at now: MonotonicTime) -> Pace? {
        guard case .parameter(let name, _) = path else {
            return self.mode == .always && self.budget == .normal ? .full : .rare
        }
        if self.mode == .off || self.budget == .exhausted { return nil }
        let isBoosted = self.boosts[name].map { now < $0 } ?? false
        return self.budget == .normal && (self.mode == .always || isBoosted) ? .full : .slow
    }

    private mutating func publish(_ path: TopicPath, _ entry: Entry, at now: MonotonicTime) -> LivePayload {
        self.entries[path]?.published = (entry.newest, now)
        return entry.newest
    }
}
