// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A value of a record of `telemetry`, with its time.
package struct TelemetrySample: Hashable, Sendable {
    package var time: Timestamp
    /// The parameter's name, or `<name>/<ecu>` for an ECU other than the primary one.
    package var series: String
    package var ecu: String
    /// The value in the parameter's metric unit.
    package var value: Double

    /// The names of the columns of exported samples.
    package static let columns = ["vehicle", "time", "clock", "parameter", "ecu", "value", "unit", "epoch", "seq"]

    /// Returns the cells of the exported row.
    ///
    /// - Parameter unit: the metric unit of the parameter; null if it has none or if it is unknown.
    package func cells(
        of vehicle: String,
        clock: ClockQuality,
        unit: JSON,
        epoch: UInt64,
        seq: UInt64
    ) -> [JSON] {
        [
            .string(vehicle), .string(self.time.description), .string(clock.rawValue), .string(self.series),
            .string(self.ecu), .number(self.value), unit, .integer(Int64(clamping: epoch)),
            .integer(Int64(clamping: seq)),
        ]
    }
}

extension Telemetry {
    /// Returns the samples in the order of their times, then of their series; nil if a time overflows.
    ///
    /// - Parameter start: the record's own time, `t0`.
    package func samples(from start: Timestamp) -> [TelemetrySample]? {
        var samples: [TelemetrySample] = []
        for (name, series) in self.series {
            let isComplete = series.forEachSample(from: start) { milliseconds, value in
                samples.append(
                    TelemetrySample(
                        time: Timestamp(milliseconds: milliseconds),
                        series: name,
                        ecu: series.ecu,
                        value: value
                    )
                )
            }
            guard isComplete else { return nil }
        }
        return samples.sorted { ($0.time, $0.series) < ($1.time, $1.series) }
    }
}

extension Telemetry.Series {
    /// Calls a function with the time and the value of each sample; returns false if a time overflows.
    ///
    /// - Parameters:
    ///   - start: the record's own time, `t0`.
    ///   - body: takes the milliseconds since 1970 and the value in the parameter's metric unit.
    package func forEachSample(from start: Timestamp, _ body: (Int64, Double) -> Void) -> Bool {
        var milliseconds = start.milliseconds
        var steps: Int64 = 0
        for (dt, dv) in zip(self.dt, self.dv) {
            let (sum, overflow) = milliseconds.addingReportingOverflow(dt)
            guard !overflow else { return false }
            milliseconds = sum
            steps = steps &+ dv
            body(milliseconds, ShownValue.rounded(self.scale * Double(steps)))
        }
        return true
    }
}
