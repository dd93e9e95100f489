// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// An on-board monitor whose readiness PIDs 01 and 41 (SAE J1979) or the identifier F501 (SAE J1979-2) report.
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
    // In the identifier F501 only.
    case engineCooling = "engine_cooling"
    case crankcaseVentilation = "crankcase_ventilation"
    case recirculation = "egr"
    case variableValves = "vvt"
    case directOzoneReduction = "direct_ozone_reduction"
    case coldStart = "cold_start"
    case noxAdsorber = "nox_adsorber"
    case other

    /// The monitors of byte B, bit 0 first.
    static let continuous: [Monitor] = [.misfire, .fuelSystem, .components]

    /// The monitors of the bytes B to F of the identifier F501, bit 0 first, for any ignition.
    static let readinessGroups: [[Monitor]] = [
        [.misfire, .fuelSystem, .components, .engineCooling],
        [.catalyst, .nmhcCatalyst, .heatedCatalyst, .noxAftertreatment],
        [.evaporativeSystem, .secondaryAir, .boostPressure, .particulateFilter],
        [.exhaustGasSensor, .crankcaseVentilation, .recirculation, .variableValves],
        [.directOzoneReduction, .coldStart, .noxAdsorber, .other],
    ]

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
