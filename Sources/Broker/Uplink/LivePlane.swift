// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// The newest payload of each retained topic, and the time at which it is published.
///
/// Nothing is queued. While there is no broker, and while a topic must wait, a newer payload replaces the older one.
package struct LivePlane: Sendable {
    /// The rate at which parameter values are published.
    package enum Mode: Sendable {
        /// At the full rate.
        case always
        /// At the slow rate, except for boosted parameters.
        case onDemand
        /// Never.
        case off
    }

    /// The rate of a topic.
    private struct Pace {
        /// The shortest time between two publications.
        var spacing: Duration
        /// The time after which a payload without news is published again.
        var refresh: Duration

        static let full = Pace(spacing: .seconds(1), refresh: .seconds(60))
        /// For the position, which a moving vehicle changes with each fix.
        static let position = Pace(spacing: .seconds(10), refresh: .seconds(60))
        /// For the trip that goes on, whose figures change with each reading.
        static let trip = Pace(spacing: .seconds(60), refresh: .seconds(60))
        /// For the trip where bytes are dear: its payload is the largest that changes all the time.
        static let slowTrip = Pace(spacing: .seconds(600), refresh: .seconds(600))
        /// For parameter values and the position.
        static let slow = Pace(spacing: .seconds(60), refresh: .seconds(600))
        /// For all other payloads: their news are worth their bytes on any network.
        static let rare = Pace(spacing: .seconds(1), refresh: .seconds(600))
        /// For all other payloads once the data budget is used up.
        static let rarest = Pace(spacing: .seconds(1), refresh: .seconds(3600))
    }

    private struct Entry: Sendable {
        var newest: LivePayload
        /// The payload that the broker has.
        var published: (payload: LivePayload, time: MonotonicTime)?

        /// Returns whether the newest payload has news for the broker.
        func isNews(at now: MonotonicTime) -> Bool {
            self.published.map { self.newest.told(at: now).isNews(after: $0.payload) } ?? true
        }

        /// Whether the broker does not know yet that the trip has begun, or that it has ended.
        var beginsOrEndsTrip: Bool {
            guard case .trip(let newest) = self.newest, case .trip(let earlier)? = self.published?.payload else {
                return true
            }
            return newest.ongoing != earlier.ongoing
        }
    }

    /// The longest duration of a boost.
    package static let longestBoost = Duration.seconds(600)

    /// The level of the day's data budget.
    package var budget = BudgetLevel.normal
    private let mode: Mode
    private var entries: [TopicPath: Entry] = [:]
    /// The ends of the boosts, by parameter.
    private var boosts: [String: MonotonicTime] = [:]
    private var isConnected = false

    package init(mode: Mode) {
        self.mode = mode
    }

    package enum UpdateAction: Sendable {
        case none
        case publish(LivePayload)
    }

    /// Takes the newest payload of a topic.
    package mutating func update(_ path: TopicPath, _ payload: LivePayload, at now: MonotonicTime) -> UpdateAction {
        self.entries[path, default: Entry(newest: payload)].newest = payload
        guard self.isConnected, let entry = self.entries[path], let pace = self.pace(of: path, entry, at: now) else {
            return .none
        }
        let wait = entry.isNews(at: now) ? pace.spacing : pace.refresh
        guard entry.published.map({ now - $0.time >= wait }) ?? true else { return .none }
        return .publish(self.publish(path, entry, at: now))
    }

    /// Returns the payloads that have waited long enough.
    ///
    /// Call this once a second.
    package mutating func due(at now: MonotonicTime) -> [(path: TopicPath, payload: LivePayload)] {
        guard self.isConnected else { return [] }
        return self.entries.compactMap { path, entry in
            guard let pace = self.pace(of: path, entry, at: now), entry.isNews(at: now),
                entry.published.map({ now - $0.time >= pace.spacing }) ?? true
            else { return nil }
            return (path, self.publish(path, entry, at: now))
        }
    }

    /// Publishes parameters at the full rate for a time, while the budget lasts.
    ///
    /// The mode ``Mode/off`` has no boosts.
    ///
    /// - Parameter duration: at most ``longestBoost``; zero ends the boost.
    package mutating func boost(_ names: Set<String>, for duration: Duration, at now: MonotonicTime) {
        self.boosts = self.boosts.filter { $0.value > now }
        for name in names { self.boosts[name] = now + min(duration, Self.longestBoost) }
    }

    /// Publishes everything again: the broker may be another one than before.
    package mutating func connected() {
        self.isConnected = true
        for path in self.entries.keys { self.entries[path]?.published = nil }
    }

    package mutating func disconnected() {
        self.isConnected = false
    }

    /// Removes topics.
    ///
    /// - Returns: the removed topics, and those of them that a broker may have.
    package mutating func remove(
        where isUnwanted: (TopicPath) -> Bool
    ) -> (all: [TopicPath], published: [TopicPath]) {
        let removed = self.entries.filter { isUnwanted($0.key) }
        for path in removed.keys { self.entries[path] = nil }
        return (Array(removed.keys), removed.filter { $0.value.published != nil }.map(\.key))
    }

    /// Returns the newest payload of each topic, whether it is published or not.
    package func newest(at now: MonotonicTime) -> [(path: TopicPath, payload: LivePayload)] {
        self.entries.map { ($0.key, $0.value.newest.told(at: now)) }
    }

    /// Removes everything, because the vehicle has changed.
    package mutating func removeAll() {
        self.entries = [:]
        self.boosts = [:]
    }

    /// The time after which the value of a parameter is published again, boosts apart; nil if none is published.
    package var refresh: Duration? {
        if self.mode == .off || self.budget == .exhausted { return nil }
        return (self.mode == .always && self.budget == .normal ? Pace.full : .slow).refresh
    }

    /// Returns the rate of a topic; nil if it is never published.
    private func pace(of path: TopicPath, _ entry: Entry, at now: MonotonicTime) -> Pace? {
        // The broker has to forget an earlier payload even if none is published any more.
        if case .withdrawn = entry.newest { return .rare }
        let isFull = self.mode == .always && self.budget == .normal
        switch path {
        case .parameter(let name, _):
            if self.refresh == nil { return nil }
            let isBoosted = self.boosts[name].map { now < $0 } ?? false
            return isFull || self.budget == .normal && isBoosted ? .full : .slow
        case .position:
            if self.mode == .off || self.budget == .exhausted { return nil }
            return isFull ? .position : .slow
        case .trip where !entry.beginsOrEndsTrip:
            if self.budget == .exhausted { return nil }
            return isFull ? .trip : .slowTrip
        default:
            return isFull ? .full : self.budget == .exhausted ? .rarest : .rare
        }
    }

    private mutating func publish(_ path: TopicPath, _ entry: Entry, at now: MonotonicTime) -> LivePayload {
        let payload = entry.newest.told(at: now)
        self.entries[path]?.published = (payload, now)
        return payload
    }
}
