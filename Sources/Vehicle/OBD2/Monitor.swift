// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// An on-board monitor whose readiness PIDs 01 and 41 report (SAE J1979, PID 01).
///
/// The raw values are the names in our payloads.
package enum Monitor: String, Hashable, Sendable, CaseIterable {
    // Continuous, on every engine.
    case misfire
    case fuelSystem = "fuel"
    case components
    // Spark ignition.
    case catalyst
    case heatedCatalyst = "heated_catalyst"
    case evaporativeSystem = "evap"
    case secondaryAir = "secondary_air"
    /// The gasoline particulate filter; in older editions the refrigerant of the air conditioning.
    case gasolineParticulateFilter = "gpf_or_ac"
    case oxygenSensor = "o2_sensor"
    case oxygenSensorHeater = "o2_heater"
    // Compression ignition.
    case nmhcCatalyst = "nmhc_catalyst"
    case noxAftertreatment = "nox_scr"
    case boostPressure = "boost_pressure"
    case exhaustGasSensor = "exhaust_gas_sensor"
    case particulateFilter = "pm_filter"
    // Both.
    case exhaustGasRecirculation = "egr_vvt"

    /// The monitors of byte B, bit 0 first.
    static let continuous: [Monitor] = [.misfire, .fuelSystem, .components]

    /// The monitors of bytes C and D, bit 0 first; nil is a reserved bit.
    static func nonContinuous(_ ignition: Ignition) -> [Monitor?] {
        switch ignition {
        case .spark:
            [
                .catalyst, .heatedCatalyst, .evaporativeSystem, .secondaryAir, .gasolineParticulateFilter,
                .oxygenSensor, .oxygenSensorHeater, .exhaustGasRecirculation,
            ]
        case .compression:
            [
                .nmhcCatalyst, .noxAftertreatment, nil, .boostPressure, nil, .exhaustGasSensor, .particulateFilter,
                .exhaustGasRecirculation,
            ]
        }
    }
}

/// The kind of ignition of the engine, which decides what monitors it has.
package enum Ignition: String, Hashable, Sendable, CaseIterable {
    case spark
    case compression
}
