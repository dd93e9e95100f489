// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The unit of a value, metric as it is recorded or imperial as it may be shown.
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
    case kilometre = "km"
    case kilometrePerHour = "km/h"
    case revolutionsPerMinute = "rpm"
    case degree = "°"
    case gramPerSecond = "g/s"
    case kilogramPerHour = "kg/h"
    case litrePerHour = "L/h"
    case milligramPerStroke = "mg/stroke"
    case milligramPerCubicMetre = "mg/m³"
    case partsPerMillion = "ppm"
    case newtonMetre = "N·m"

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

    /// The unit as it is written: `km/h`.
    package var symbol: String {
        self.rawValue
    }

    /// A value of this unit in its imperial counterpart; unchanged where there is none.
    ///
    /// Pressure becomes psi. Where inches of mercury are usual, ``Field/imperial(_:)`` knows.
    package func imperial(_ value: Double) -> (Double, Unit) {
        switch self {
        case .celsius: (value * 9 / 5 + 32, .fahrenheit)
        case .pascal: (value * 0.00401463, .inchOfWater)
        case .kilopascal: (value * 0.1450377377, .psi)
        case .kilometre: (value / 1.609344, .mile)
        case .kilometrePerHour: (value / 1.609344, .milePerHour)
        case .gramPerSecond: (value * 0.1322773573, .poundPerMinute)
        case .kilogramPerHour: (value * 2.2046226218, .poundPerHour)
        case .litrePerHour: (value * 0.2641720524, .gallonPerHour)
        case .newtonMetre: (value * 0.7375621493, .poundFoot)
        default: (value, self)
        }
    }
}
