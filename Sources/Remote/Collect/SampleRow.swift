// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A row of the table `samples`.
package struct SampleRow: Hashable, Sendable {
    /// The milliseconds since 1970-01-01T00:00:00Z.
    package var time: Int64
    /// A finite number in the unit of the series.
    package var value: Double
    /// The id of the series.
    package var series: Int64
    package var isSynchronised: Bool

    package init(time: Int64, value: Double, series: Int64, isSynchronised: Bool) {
        self.time = time
        self.value = value
        self.series = series
        self.isSynchronised = isSynchronised
    }
}
