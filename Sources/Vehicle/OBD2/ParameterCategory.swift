// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The category of a parameter in lists for people.
package enum ParameterCategory: String, CaseIterable, Comparable, Sendable {
    case engine, fuel, air, exhaust, temperatures, electrical, driving, diagnosis, other

    /// The parts of names that decide the category; the first match counts.
    private static let words: [(Self, [String])] = [
        (
            .diagnosis,
            [
                "supported_", "monitor_status", "freeze_frame", "since_clear", "with_mil", "obd_standard", "wwh_obd",
                "emission_requirements", "aecd_", "since_reflash", "_lamp", "_nte_",
            ]
        ),
        (.temperatures, ["temperature"]),
        (
            .exhaust,
            [
                "o2_", "catalyst", "egr", "evap", "secondary_air", "nox", "pm_", "dpf", "def_", "scr_", "exhaust",
                "aftertreatment", "particulate",
            ]
        ),
        (.electrical, ["battery", "hvess", "hybrid", "module_voltage", "supply_voltage", "certified_energy"]),
        (.fuel, ["fuel", "ethanol", "injection", "equivalence"]),
        (
            .air,
            [
                "intake", "air_flow", "charge_air", "throttle", "boost", "turbo", "wastegate", "barometric",
                "manifold",
            ]
        ),
        (.driving, ["vehicle", "odometer", "gear", "abs_", "ambient", "speed_limiter", "distance", "auxiliary"]),
        (.engine, ["engine", "coolant", "oil_", "torque", "timing", "load", "run_time", "pedal", "maximum_"]),
    ]

    /// Returns the category of a parameter or of one of its values, by its name; ``other`` if no part matches.
    package init(of name: String) {
        self = Self.words.first { $0.1.contains(where: name.contains) }?.0 ?? .other
    }

    package static func < (left: Self, right: Self) -> Bool {
        guard let left = Self.allCases.firstIndex(of: left), let right = Self.allCases.firstIndex(of: right) else {
            return false
        }
        return left < right
    }
}
