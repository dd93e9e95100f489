// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// The parameters that are polled, each with its wanted interval.
package struct Selection: Hashable, Sendable {
    /// Grows with every change, so that answers and reports can be told apart.
    package var version: Int
    package var intervals: [ParameterKey: Duration]
    /// The least change of a value that is told at once, where that is not the usual one; by the value's name, metric.
    package var deadBands: [String: Double]
    /// When the selection before it comes back; nil for a lasting one.
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
}
