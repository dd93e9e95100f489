// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The meaning of a parameter that the agent understands, whatever the parameter's name and the vehicle's make.
package enum ParameterRole: String, CaseIterable, Hashable, Sendable {
    case vehicleSpeed = "vehicle_speed"
    case engineSpeed = "engine_speed"
    /// Whether the vehicle would drive off: the drive is enabled.
    case ready
    /// Whether the traction battery is charged from outside of the vehicle.
    case charging
    /// Whether a charging cable is plugged in.
    case pluggedIn = "plugged_in"
    /// The charge of the traction battery.
    case stateOfCharge = "state_of_charge"
    /// The capacity of the traction battery, in percent of that of a new one.
    case stateOfHealth = "state_of_health"
    /// The distance that the vehicle can still drive.
    case range
    case tractionBatteryVoltage = "traction_battery_voltage"
    case tractionBatteryCurrent = "traction_battery_current"
    case tractionBatteryPower = "traction_battery_power"
    case tractionBatteryTemperature = "traction_battery_temperature"
    case chargerPower = "charger_power"
    /// A counter of the energy that has been charged into the traction battery.
    case chargedEnergy = "charged_energy"
    case odometer
    /// The contents of the fuel tank, in percent.
    case fuelLevel = "fuel_level"
    case outsideTemperature = "outside_temperature"

    /// Whether the parameter is true or false, not a quantity.
    package var isTruth: Bool {
        switch self {
        case .ready, .charging, .pluggedIn: true
        default: false
        }
    }

    /// The symbols of the units that the parameter may have, the usual one first; empty for a truth value.
    package var units: [String] {
        switch self {
        case .ready, .charging, .pluggedIn: []
        case .vehicleSpeed: ["km/h", "mph", "m/s"]
        case .engineSpeed: ["rpm"]
        case .stateOfCharge, .stateOfHealth, .fuelLevel: ["%"]
        case .range, .odometer: ["km", "mi"]
        case .tractionBatteryVoltage: ["V"]
        case .tractionBatteryCurrent: ["A"]
        case .tractionBatteryPower, .chargerPower: ["kW", "W"]
        case .chargedEnergy: ["kWh", "Wh"]
        case .tractionBatteryTemperature, .outsideTemperature: ["°C", "°F"]
        }
    }

    /// Whether the parameter may have the unit with this symbol; nil stands for no unit.
    package func allows(_ symbol: String?) -> Bool {
        symbol.map(self.units.contains) ?? self.isTruth
    }

    /// The roles of the values of SAE J1979 and SAE J1939, by name.
    static let standard: [String: ParameterRole] = [
        "vehicle_speed": .vehicleSpeed, "engine_speed": .engineSpeed, "odometer": .odometer, "fuel_level": .fuelLevel,
        "ambient_air_temperature": .outsideTemperature, "hybrid_battery_charge": .stateOfCharge,
        "traction_battery_health": .stateOfHealth, "hybrid_system_voltage": .tractionBatteryVoltage,
        "hybrid_system_current": .tractionBatteryCurrent,
    ]

    /// Returns the names of the values with each role, in the order in which they count for the role.
    ///
    /// A custom parameter counts before a parameter of the catalogue, and otherwise the order is that of the names.
    package static func names(of fields: some Sequence<Field>) -> [ParameterRole: [String]] {
        var names: [ParameterRole: [String]] = [:]
        for field in fields {
            if let role = field.role { names[role, default: []].append(field.name) }
        }
        return names.mapValues { names in
            names.sorted { (Self.standard[$0] == nil ? 0 : 1, $0) < (Self.standard[$1] == nil ? 0 : 1, $1) }
        }
    }
}
