// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// What is written of one sample.
package enum SampleRow {
    /// The names of the columns.
    package static let columns = ["vehicle", "time", "clock", "parameter", "ecu", "value", "unit", "epoch", "seq"]

    /// The cells of a sample.
    ///
    /// - Parameter unit: the metric unit of its parameter; null where there is none, or nobody knows it.
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
