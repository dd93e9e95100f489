// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The counters of in-use performance: InfoTypes 08 and 0B (SAE J1979, appendix G).
///
/// They compare the completed runs of each monitor with the opportunities for a run. A clear of codes does not reset
/// the counters, and they stop at 65535.
package struct InUsePerformance: Hashable, Sendable {
    package let ignition: Ignition
    /// The number of times that the vehicle met the general conditions for monitoring.
    package let monitoringConditions: Int
    package let ignitionCycles: Int
    /// The counters of each monitor, in the order of the reply.
    package let ratios: [Ratio]

    /// The counters of a monitor.
    package struct Ratio: Hashable, Sendable {
        /// `catalyst_b1`, `evap`.
        package let monitor: String
        package let completions: Int
        package let conditions: Int

        package init(monitor: String, completions: Int, conditions: Int) {
            self.monitor = monitor
            self.completions = completions
            self.conditions = conditions
        }

        /// The quotient of completions and conditions; nil if the conditions were never met.
        package var value: Double? {
            self.conditions == 0 ? nil : Double(self.completions) / Double(self.conditions)
        }
    }

    package init(ignition: Ignition, monitoringConditions: Int, ignitionCycles: Int, ratios: [Ratio]) {
        self.ignition = ignition
        self.monitoringConditions = monitoringConditions
        self.ignitionCycles = ignitionCycles
        self.ratios = ratios
    }

    /// Reads the counters of an ECU's reply, in the order of the reply.
    ///
    /// - Throws: `.wrongCount` if their number is none of the standard's.
    init(ignition: Ignition, counters: [Int]) throws(DecodingError) {
        guard Self.counts(ignition).contains(counters.count) else {
            throw .wrongCount(declared: counters.count, present: Self.counts(ignition).max() ?? 0)
        }
        let pairs = zip(Self.monitors(ignition), stride(from: 2, to: counters.count, by: 2))
        self.init(
            ignition: ignition,
            monitoringConditions: counters[0],
            ignitionCycles: counters[1],
            ratios: pairs.map { Ratio(monitor: $0, completions: counters[$1], conditions: counters[$1 + 1]) }
        )
    }

    /// The counters in the order of a reply.
    var counters: [Int] {
        [self.monitoringConditions, self.ignitionCycles] + self.ratios.flatMap { [$0.completions, $0.conditions] }
    }

    /// Returns how many counters a reply can have: two of general use, and two for each monitor of its edition.
    private static func counts(_ ignition: Ignition) -> Set<Int> {
        switch ignition {
        case .spark: [16, 18, 20, 28]
        case .compression: [16, 18]
        }
    }

    /// Returns the monitors in the order of their counters.
    package static func monitors(_ ignition: Ignition) -> [String] {
        switch ignition {
        case .spark:
            [
                "catalyst_b1", "catalyst_b2", "o2_sensor_b1", "o2_sensor_b2", "egr_vvt", "secondary_air", "evap",
                "secondary_o2_sensor_b1", "secondary_o2_sensor_b2", "air_fuel_imbalance_b1", "air_fuel_imbalance_b2",
                "pm_filter_b1", "pm_filter_b2",
            ]
        case .compression:
            [
                "nmhc_catalyst", "nox_catalyst", "nox_adsorber", "pm_filter", "exhaust_gas_sensor", "egr_vvt",
                "boost_pressure", "fuel",
            ]
        }
    }
}
