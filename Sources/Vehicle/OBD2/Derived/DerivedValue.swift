// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A value that the agent computes from others without a formula of the user.
package enum DerivedValue: String, CaseIterable, Sendable {
    case fuelFlow = "fuel_flow"
    case fuelConsumption = "fuel_consumption"
    case fuelEconomy = "fuel_economy"
    case enginePower = "engine_power"
    case overallGearRatio = "overall_gear_ratio"
    case manifoldBoost = "manifold_boost"
    case electricConsumption = "electric_consumption"

    /// The value's name, unit, range and step.
    package var field: Field { Self.fields[self] ?? Field(derived: self.rawValue) }

    private static let fields = Dictionary(
        Self.allCases.map { ($0, $0.newField) },
        uniquingKeysWith: { first, _ in first }
    )

    private var newField: Field {
        switch self {
        case .fuelFlow: Field(derived: self.rawValue, symbol: "L/h", range: 0...500, resolution: 0.01)
        case .fuelConsumption: Field(derived: self.rawValue, symbol: "L/100 km", range: 0...100, resolution: 0.1)
        case .fuelEconomy: Field(derived: self.rawValue, symbol: "mpg", range: 0...300, resolution: 0.1)
        case .enginePower: Field(derived: self.rawValue, symbol: "kW", range: -500...2000, resolution: 0.1)
        case .overallGearRatio: Field(derived: self.rawValue, symbol: "rpm/(km/h)", range: 5...300, resolution: 0.1)
        case .manifoldBoost: Field(derived: self.rawValue, symbol: "kPa", range: -110...500, resolution: 1)
        case .electricConsumption:
            Field(derived: self.rawValue, symbol: "kWh/100 km", range: -200...200, resolution: 0.1)
        }
    }
}
