// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

extension Uplink {
    /// A sample for both planes.
    package struct Sample: Hashable, Sendable {
        package var name: String
        /// Whether the name alone identifies the value: the primary ECU reports it, or no other ECU can.
        package var isPrimary: Bool
        package var report: ParameterReport
        /// The value in metric units, which is stored as the parameter's last value.
        package var metric: ShownValue
        /// The step of the parameter's values in `telemetry`, in the metric unit.
        package var scale: Double
        /// The value in steps; nil if it is not a number.
        package var steps: Int64?
        package var time: MonotonicTime

        package init(
            name: String,
            isPrimary: Bool,
            report: ParameterReport,
            metric: ShownValue,
            scale: Double,
            steps: Int64?,
            time: MonotonicTime
        ) {
            self.name = name
            self.isPrimary = isPrimary
            self.report = report
            self.metric = metric
            self.scale = scale
            self.steps = steps
            self.time = time
        }

        package var path: TopicPath { .parameter(self.name, ecu: self.isPrimary ? nil : self.report.ecu) }

        /// The name in the store; `<name>/<ecu>` for an ECU that is not the primary one.
        package var series: String { self.isPrimary ? self.name : "\(self.name)/\(self.report.ecu)" }
    }
}
