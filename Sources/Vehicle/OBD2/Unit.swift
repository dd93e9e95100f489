// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The unit of a value: metric for recorded values, imperial only for published ones.
package enum Unit: String, Hashable, Sendable, CaseIterable {
    case percent = "%"
    case celsius = "°C"
    case second = "s"
    case minute = "min"
    case hour = "h"
    case pascal = "Pa"
    case kilopascal = "kPa"
    case ratio = "ratio"
    case count = "count"
    case volt = "V"
    case voltPerDay = "V/d"
    case ampere = "A"
    case milliampere = "mA"
    case kilometer = "km"
    case kilometerPerHour = "km/h"
    case revolutionsPerMinute = "rpm"
    case degree = "°"
    case gramPerSecond = "g/s"
    case kilogramPerHour = "kg/h"
    case literPerHour = "L/h"
    case milligramPerStroke = "mg/stroke"
    case milligramPerCubicMeter = "mg/m³"
    case partsPerMillion = "ppm"
    case newtonMeter = "N·m"

    case fahrenheit = "°F"
    case psi = "psi"
    case inchOfMercury = "inHg"
    case inchOfWater = "inH2O"
    case mile = "mi"
    case milePerHour = "mph"
    case poundPerMinute = "lb/min"
    case poundPerHour = "lb/h"
    case gallonPerHour = "gal(US)/h"
    case poundFoot = "lb·ft"

    /// The unit's symbol: `km/h`.
    package var symbol: String {
        self.rawValue
    }

    /// Converts a value of this unit to its imperial counterpart; a unit without one stays unchanged.
    ///
    /// Pressures become psi. ``Field/imperial(_:)`` uses inches of mercury for air pressures instead.
    package func imperial(_ value: Double) -> (Double, Unit) {
        switch self {
        case .celsius: (value * 9 / 5 + 32, .fahrenheit)
        case .pascal: (value * 0.00401463, .inchOfWater)
        case .kilopascal: (value * 0.1450377377, .psi)
        case .kilometer: (value / 1.609344, .mile)
        case .kilometerPerHour: (value / 1.609344, .milePerHour)
        case .gramPerSecond: (value * 0.1322773573, .poundPerMinute)
        case .kilogramPerHour: (value * 2.2046226218, .poundPerHour)
        case .literPerHour: (value * 0.2641720524, .gallonPerHour)
        case .newtonMeter: (value * 0.7375621493, .poundFoot)
        default: (value, self)
        }
    }
}
