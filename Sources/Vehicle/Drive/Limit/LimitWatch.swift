// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import OBD2

/// Watches the limits of the connected vehicle's values.
///
/// A value that is unknown or too old neither exceeds a limit nor clears it. So a lost link changes nothing, except that
/// the time for which a condition must hold begins anew.
package struct LimitWatch: Sendable {
    /// The state of one limit.
    package enum State: Hashable, Sendable {
        /// The values have not been known yet, or the condition holds since the first ones and not yet for long enough.
        case unknown(since: MonotonicTime?)
        /// The condition does not hold, or has begun to hold at `since` and not yet for long enough.
        case observed(since: MonotonicTime?)
        /// The condition has held for long enough.
        case exceeded

        /// Whether the limit is exceeded; nil while that is unknown.
        package var isExceeded: Bool? {
            switch self {
            case .unknown: nil
            case .observed: false
            case .exceeded: true
            }
        }
    }

    /// A change of a limit.
    package enum Change: Hashable, Sendable {
        /// The limit is exceeded since this time, with the values of the condition by name.
        case exceeded(LimitRule, values: [String: Double], since: MonotonicTime)
        /// The limit is no longer exceeded.
        case cleared(LimitRule, values: [String: Double])
        /// The limit is not exceeded; before, its state was unknown.
        case known(LimitRule)
    }

    package let rules: [LimitRule]
    /// The states of ``rules``, in their order.
    package private(set) var states: [State]
    /// The names of the values that the conditions need.
    private let names: Set<String>
    private var newest = NewestReadings()

    package init(_ rules: [LimitRule]) {
        self.rules = rules
        self.states = Array(repeating: .unknown(since: nil), count: rules.count)
        self.names = Set(rules.flatMap(\.names))
    }

    /// Takes over readings.
    package mutating func receive(_ readings: [Reading]) -> [Change] {
        guard !self.rules.isEmpty, let now = readings.map(\.time).max() else { return [] }
        // A value that has grown too old in between interrupts the time for which a condition held.
        let interrupted = self.evaluate(at: now)
        self.newest.receive(readings.filter(self.isWatched))
        return interrupted + self.evaluate(at: now)
    }

    /// Time has passed without readings.
    package mutating func timePassed(to now: MonotonicTime) -> [Change] { self.evaluate(at: now) }

    /// Another vehicle follows.
    package mutating func vehicleChanged() {
        self.newest.clear()
        self.states = Array(repeating: .unknown(since: nil), count: self.rules.count)
    }

    /// Takes over the limits that were exceeded when an earlier process ended, or the vehicle was disconnected.
    ///
    /// Call this before the first reading of the vehicle.
    package mutating func restore(_ memory: LimitMemory) {
        for (index, rule) in self.rules.enumerated() where memory.isExceeded(rule) { self.states[index] = .exceeded }
    }

    private func isWatched(_ reading: Reading) -> Bool {
        self.names.contains(reading.name) || reading.role.map { self.names.contains($0.rawValue) } ?? false
    }

    private mutating func evaluate(at now: MonotonicTime) -> [Change] {
        self.rules.indices.compactMap { self.evaluate($0, at: now) }
    }

    private mutating func evaluate(_ index: Int, at now: MonotonicTime) -> Change? {
        let rule = self.rules[index]
        let newest = self.newest
        let value = { (name: String) in newest.value(name, at: now, maximumAge: rule.maximumAge(of: name)) }
        switch self.states[index] {
        case .exceeded:
            // While the condition for the begin holds, the one for the end does not count.
            guard rule.condition.holds(value) == false, rule.clearing.map({ $0.holds(value) == true }) ?? true
            else { return nil }
            self.states[index] = .observed(since: nil)
            return .cleared(rule, values: self.values(of: rule, at: now))
        case .unknown(let before), .observed(let before):
            let holds = rule.condition.holds(value)
            let since = holds == true ? before ?? now : nil
            if let since, now - since >= rule.duration {
                self.states[index] = .exceeded
                return .exceeded(rule, values: self.values(of: rule, at: now), since: now)
            }
            let wasKnown = self.states[index].isExceeded != nil
            self.states[index] = wasKnown || holds == false ? .observed(since: since) : .unknown(since: since)
            return !wasKnown && holds == false ? .known(rule) : nil
        }
    }

    private func values(of rule: LimitRule, at now: MonotonicTime) -> [String: Double] {
        Dictionary(
            rule.names.compactMap { name in
                self.newest.value(name, at: now, maximumAge: rule.maximumAge(of: name)).map { (name, $0) }
            },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
