// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

/// The in-use performance of an ECU's monitors: completed runs compared to opportunities.
package struct InUsePerformanceReport: Encodable, Hashable, Sendable {
    /// `spark` or `compression`.
    package var ignition: String
    /// The number of times that the vehicle met the general conditions for monitoring.
    package var monitoringConditions: Int
    package var ignitionCycles: Int
    package var monitors: [String: Counts]

    /// The counters of a monitor.
    package struct Counts: Encodable, Hashable, Sendable {
        package var completions: Int
        package var conditions: Int
        /// The quotient of completions and conditions; left out if the conditions were never met.
        package var ratio: Double?
    }

    package enum CodingKeys: String, CodingKey {
        case ignition, monitors
        case monitoringConditions = "monitoring_conditions"
        case ignitionCycles = "ignition_cycles"
    }

    package init(_ performance: InUsePerformance) {
        self.ignition = performance.ignition.rawValue
        self.monitoringConditions = performance.monitoringConditions
        self.ignitionCycles = performance.ignitionCycles
        self.monitors = Dictionary(
            performance.ratios.map { ratio in
                let value = ratio.value.map(ShownValue.rounded)
                return (
                    ratio.monitor,
                    Counts(completions: ratio.completions, conditions: ratio.conditions, ratio: value)
                )
            },
            uniquingKeysWith: { first, _ in first }
        )
    }
}
