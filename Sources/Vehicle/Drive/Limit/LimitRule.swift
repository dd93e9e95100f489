// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// A limit of a value, which the agent watches.
package struct LimitRule: Hashable, Sendable {
    package let name: String
    /// The name for people.
    package let title: String?
    /// The condition under which the limit is exceeded.
    package let condition: Condition
    /// The condition under which the limit is no longer exceeded; nil if that is the opposite of ``condition``.
    package let clearing: Condition?
    /// The time for which the condition must hold.
    package let duration: Duration
    /// The age at which a value is too old.
    package let maximumAge: Duration

    /// The largest number of limits.
    package static let countLimit = 64
    /// The poll interval of a value that no selection polls more often.
    package static let pollInterval = Duration.seconds(10)
    /// The usual maximum age of a value.
    package static let usualAge = Duration.seconds(30)

    package init(
        _ name: String,
        title: String? = nil,
        when condition: Condition,
        clear clearing: Condition? = nil,
        for duration: Duration = .zero,
        maximumAge: Duration = Self.usualAge
    ) {
        self.name = name
        self.title = title
        self.condition = condition
        self.clearing = clearing
        self.duration = duration
        self.maximumAge = maximumAge
    }

    /// The age at which a value is too old; the 12 V supply of a parked vehicle is measured rarely.
    func maximumAge(of name: String) -> Duration {
        SupplyValue(rawValue: name) == nil ? self.maximumAge : max(self.maximumAge, .seconds(3600))
    }

    /// The names of all values, sorted.
    package var names: [String] {
        Set(self.condition.names + (self.clearing?.names ?? [])).sorted()
    }
}
