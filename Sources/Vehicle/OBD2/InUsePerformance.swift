// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// How often monitors have run, against how often they could have: InfoTypes 08 and 0B (SAE J1979, appendix G).
///
/// Counters stay through a clear, and stop at 65535.
package struct InUsePerformance: Hashable, Sendable {
    package let ignition: Ignition
    /// How often the vehicle was driven as the rules want it for monitoring.
    package let monitoringConditions: Int
    package let ignitionCycles: Int
    /// One for each monitor that the ECU counts, in its order.
    package let ratios: [Ratio]

    /// One monitor's counters.
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

        /// Completions for each time that there were the conditions; nil where there never were.
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

    /// The counters of an ECU's reply, in order.
    ///
    /// - Throws: `.wrongCount` if there are not as many as the standard has.
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

    /// The counters in the order of the wire.
    var counters: [Int] {
        [self.monitoringConditions, self.ignitionCycles] + self.ratios.flatMap { [$0.completions, $0.conditions] }
    }

    /// How many counters there may be.
    private static func counts(_ ignition: Ignition) -> Set<Int> {
        switch ignition {
        case .spark: [16, 18, 20]
        case .compression: [16, 18]
        }
    }

    /// The monitors, in the order of their counters.
    package static func monitors(_ ignition: Ignition) -> [String] {
        switch ignition {
        case .spark:
            [
                "catalyst_b1", "catalyst_b2", "o2_sensor_b1", "o2_sensor_b2", "egr_vvt", "secondary_air", "evap",
                "secondary_o2_sensor_b1", "secondary_o2_sensor_b2",
            ]
        case .compression:
            [
                "nmhc_catalyst", "nox_catalyst", "nox_adsorber", "pm_filter", "exhaust_gas_sensor", "egr_vvt",
                "boost_pressure", "fuel",
            ]
        }
    }
}
