// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The exported row of a sample.
package enum SampleRow {
    /// The names of the columns.
    package static let columns = ["vehicle", "time", "clock", "parameter", "ecu", "value", "unit", "epoch", "seq"]

    /// Returns the cells of a sample.
    ///
    /// - Parameter unit: the metric unit of the parameter; null if it has none or if it is unknown.
    package static func cells(
        _ sample: TelemetrySample,
        of vehicle: String,
        clock: ClockQuality,
        unit: JSON,
        epoch: UInt64,
        seq: UInt64
    ) -> [JSON] {
        [
            .string(vehicle), .string(sample.time.description), .string(clock.rawValue), .string(sample.series),
            .string(sample.ecu), .number(sample.value), unit, .integer(Int64(clamping: epoch)),
            .integer(Int64(clamping: seq)),
        ]
    }
}
