// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// What Home Assistant calls a quantity: its device class, and the unit in its spelling.
///
/// A unit that some release of Home Assistant refuses for a class goes without the class: without one any unit will do.
struct SensorClass: Hashable, Sendable {
    /// How its history adds up.
    enum State: String, Hashable, Sendable {
        case measurement
        /// A count that grows, and begins again at zero at times.
        case totalIncreasing = "total_increasing"
    }

    var deviceClass: String?
    var unit: String?
    var state = State.measurement
    /// For what has no device class, which would bring one.
    var icon: String?

    /// Of a number of this name, in this unit; nil for what has none, or one that the catalogue does not have.
    init(of name: String, unit: Unit?, symbol: String?) {
        self.unit = symbol
        switch unit {
        case .celsius, .fahrenheit: self.deviceClass = "temperature"
        case .kilopascal, .pascal, .psi, .inchOfMercury:
            self.deviceClass = name.hasPrefix("barometric") ? "atmospheric_pressure" : "pressure"
        case .volt: self.deviceClass = "voltage"
        case .ampere, .milliampere: self.deviceClass = "current"
        case .kilometrePerHour, .milePerHour: self.deviceClass = "speed"
        case .kilometre, .mile: self.deviceClass = "distance"
        case .second, .minute, .hour: self.deviceClass = "duration"
        case .ratio, .count: self.unit = nil
        case .percent where name.hasPrefix("hybrid_battery"): self.deviceClass = "battery"
        default: break
        }
        if Self.grows(name, unit) { self.state = .totalIncreasing }
        if self.deviceClass == nil { self.icon = Self.icon(of: name, unit) }
    }

    /// Distances and times are counted, but for means; and so are trips since something.
    private static func grows(_ name: String, _ unit: Unit?) -> Bool {
        switch unit {
        case .kilometre, .mile, .second, .minute, .hour: !name.contains("_avg_")
        case .count: name.contains("since_clear")
        default: false
        }
    }

    private static func icon(of name: String, _ unit: Unit?) -> String {
        switch unit {
        case .revolutionsPerMinute: return "mdi:engine"
        case .degree: return "mdi:angle-acute"
        case .gramPerSecond, .kilogramPerHour, .poundPerMinute, .poundPerHour: return "mdi:air-filter"
        case .litrePerHour, .gallonPerHour: return "mdi:fuel"
        case .count: return "mdi:counter"
        default: break
        }
        return Self.icon(of: ParameterCategory(of: name))
    }

    static func icon(of category: ParameterCategory) -> String {
        switch category {
        case .engine: "mdi:engine"
        case .fuel: "mdi:gas-station"
        case .air: "mdi:air-filter"
        case .exhaust: "mdi:smog"
        case .temperatures: "mdi:thermometer"
        case .electrical: "mdi:car-battery"
        case .driving: "mdi:car"
        case .diagnosis: "mdi:car-wrench"
        case .other: "mdi:gauge"
        }
    }
}
