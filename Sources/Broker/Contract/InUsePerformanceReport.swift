// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

/// How often an ECU's monitors have run, against how often they could have.
package struct InUsePerformanceReport: Encodable, Hashable, Sendable {
    /// `spark` or `compression`.
    package var ignition: String
    /// How often the vehicle was driven as the rules want it for monitoring.
    package var monitoringConditions: Int
    package var ignitionCycles: Int
    package var monitors: [String: Counts]

    /// One monitor's counters.
    package struct Counts: Encodable, Hashable, Sendable {
        package var completions: Int
        package var conditions: Int
        /// Completions for each time that there were the conditions; left out where there never were.
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
