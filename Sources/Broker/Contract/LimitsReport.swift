// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The payload of `limits`.
package struct LimitsReport: Encodable, Hashable, Sendable {
    package var v = 1
    package var time: Timestamp
    /// The configured limits, by name.
    package var limits: [String: Limit]

    /// The state of a limit.
    package struct Limit: Encodable, Hashable, Sendable {
        /// The condition under which the limit is exceeded.
        package var when: String
        /// Whether the limit is exceeded; nil until the values are known.
        package var exceeded: Bool?
        /// The time since when it is exceeded; nil if it is not.
        package var since: Timestamp?

        package init(when: String, exceeded: Bool?, since: Timestamp?) {
            self.when = when
            self.exceeded = exceeded
            self.since = since
        }
    }

    package init(time: Timestamp, limits: [String: Limit]) {
        self.time = time
        self.limits = limits
    }
}

/// A limit that an event is about.
package struct LimitEvent: Encodable, Hashable, Sendable {
    package var name: String
    /// The condition under which the limit is exceeded.
    package var when: String
    /// The values at the time of the event, by the names in the conditions, in metric units.
    package var values: [String: Double]

    package init(name: String, when: String, values: [String: Double]) {
        self.name = name
        self.when = when
        self.values = values
    }
}
