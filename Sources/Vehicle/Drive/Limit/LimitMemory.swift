// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The exceeded limits of a vehicle, as they outlive the process.
///
/// A limit is known by its name and the texts of its conditions, so a limit that the user has changed begins anew.
package struct LimitMemory: Hashable, Sendable {
    private struct Limit: Hashable, Sendable {
        var condition: String
        var clearing: String?
        /// The time since which the limit is exceeded; nil if it is not known.
        var since: RememberedTime?
    }

    /// The limits by name.
    private var limits: [String: Limit] = [:]

    package init() {}

    /// Returns whether a limit is exceeded.
    package func isExceeded(_ rule: LimitRule) -> Bool {
        guard let limit = self.limits[rule.name] else { return false }
        return limit.condition == rule.condition.text && limit.clearing == rule.clearing?.text
    }

    /// Returns the date since which a limit is exceeded; nil if it is not, or that date is not known.
    ///
    /// - Parameter boot: the present boot.
    package func since(_ rule: LimitRule, _ boot: MachineBoot) -> Timestamp? {
        self.limits[rule.name]?.since?.date(boot)
    }

    /// A limit is exceeded since a time of the present boot.
    package mutating func limitExceeded(_ rule: LimitRule, at time: MonotonicTime, _ boot: MachineBoot) {
        self.limits[rule.name] = Limit(
            condition: rule.condition.text,
            clearing: rule.clearing?.text,
            since: RememberedTime(time, boot)
        )
    }

    /// A limit is no longer exceeded.
    package mutating func limitCleared(_ rule: LimitRule) { self.limits[rule.name] = nil }

    /// Takes over the date of the present boot, because the clock is synchronized from now on.
    package mutating func clockSynchronised(_ boot: MachineBoot) {
        for name in self.limits.keys { self.limits[name]?.since?.clockSynchronised(boot) }
    }

    /// Removes the limits that no rule has.
    package mutating func keep(_ rules: [LimitRule]) {
        let names = Set(rules.filter(self.isExceeded).map(\.name))
        self.limits = self.limits.filter { names.contains($0.key) }
    }

    // MARK: - The stored form

    /// Restores the memory; empty if the form is damaged.
    package init(_ json: JSON) {
        for (name, limit) in json["exceeded"].members {
            guard let condition = limit["when"].string else { continue }
            let since = RememberedTime(limit)
            self.limits[name] = Limit(condition: condition, clearing: limit["clear"].string, since: since)
        }
    }

    /// The stored form.
    package var json: JSON {
        let limits = self.limits.mapValues { limit -> JSON in
            var members: [String: JSON] = ["when": .string(limit.condition)]
            members["clear"] = limit.clearing.map(JSON.string)
            if let since = limit.since { members.merge(since.members) { $1 } }
            return .object(members)
        }
        return ["exceeded": .object(limits)]
    }
}
