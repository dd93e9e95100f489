// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The polled parameters with their poll intervals and dead bands.
package struct Selection: Hashable, Sendable {
    /// The number of the selection, which grows with every change.
    package var version: Int
    package var intervals: [ParameterKey: Duration]
    /// The smallest changes that are published at once, by the names of values, in their metric units.
    ///
    /// A value without one has the default.
    package var deadBands: [String: Double]
    /// The time at which the lasting selection returns; nil for the lasting one.
    package var expiry: MonotonicTime?

    package init(
        version: Int = 1,
        intervals: [ParameterKey: Duration],
        deadBands: [String: Double] = [:],
        expiry: MonotonicTime? = nil
    ) {
        self.version = version
        self.intervals = intervals
        self.deadBands = deadBands
        self.expiry = expiry
    }

    /// The poll intervals in seconds, by the names of the parameters.
    package var seconds: [String: Double] {
        Dictionary(self.intervals.map { ($0.key.name, $0.value.seconds) }) { first, _ in first }
    }

    /// Polls a parameter; each of its values gets the dead band, or the default for nil.
    package mutating func set(_ key: ParameterKey, _ interval: Duration, deadBand: Double?) {
        self.intervals[key] = interval
        for name in key.valueNames { self.deadBands[name] = deadBand }
    }

    /// Polls the parameter of a value; only that value gets the dead band, or the default for nil.
    package mutating func set(_ name: String, of key: ParameterKey, _ interval: Duration, deadBand: Double?) {
        self.intervals[key] = interval
        self.deadBands[name] = deadBand
    }

    /// Stops polling a parameter.
    package mutating func remove(_ key: ParameterKey) {
        self.intervals[key] = nil
        for name in key.valueNames { self.deadBands[name] = nil }
    }
}
