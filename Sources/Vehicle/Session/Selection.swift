// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// The parameters that are polled, each with its requested interval.
package struct Selection: Hashable, Sendable {
    /// The number of the selection, which grows with every change and identifies it in responses and reports.
    package var version: Int
    package var intervals: [ParameterKey: Duration]
    /// The dead bands that differ from the default, in metric units, by the name of the value.
    ///
    /// A change of a value by at least its dead band is published at once.
    package var deadBands: [String: Double]
    /// The time at which the lasting selection returns; nil for a lasting selection.
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
