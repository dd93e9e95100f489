// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// A quantity in Home Assistant's terms: its device class, its state class and its unit.
///
/// A quantity has no device class if some release of Home Assistant refuses its unit for that class. Without a class
/// Home Assistant accepts any unit.
struct SensorClass: Hashable, Sendable {
    /// The state class, by which Home Assistant computes statistics.
    enum State: String, Hashable, Sendable {
        case measurement
        /// A counter that increases, and is reset to zero at times.
        case totalIncreasing = "total_increasing"
    }

    var deviceClass: String?
    var unit: String?
    var state = State.measurement
    /// The icon; nil if the device class has one.
    var icon: String?

    /// Classifies a number by its name and its unit.
    ///
    /// - Parameters:
    ///   - unit: nil for a number without a unit, or with a unit that the catalogue does not have.
    ///   - symbol: the unit's symbol.
    init(of name: String, unit: Unit?, symbol: String?) {
        self.unit = symbol
        switch unit {
        case .celsius, .fahrenheit: self.deviceClass = "temperature"
        case .kilopascal, .pascal, .psi, .inchOfMercury:
            self.deviceClass = name.hasPrefix("barometric") ? "atmospheric_pressure" : "pressure"
        case .volt: self.deviceClass = "voltage"
        case .ampere, .milliampere: self.deviceClass = "current"
        case .kilometerPerHour, .milePerHour: self.deviceClass = "speed"
        case .kilometer, .mile: self.deviceClass = "distance"
        case .second, .minute, .hour: self.deviceClass = "duration"
        case .ratio, .count: self.unit = nil
        // The catalogue has no power, but formulas and manufacturers have.
        case nil where symbol == "kW" || symbol == "W": self.deviceClass = "power"
        default: break
        }
        if Self.isCounter(name, unit) { self.state = .totalIncreasing }
        if self.deviceClass == nil { self.icon = Self.icon(of: name, unit) }
    }

    /// Takes what the role of the number says, which is more than its name and its unit do.
    mutating func setRole(_ role: ParameterRole) {
        switch role {
        case .stateOfCharge: (self.deviceClass, self.icon) = ("battery", nil)
        case .stateOfHealth: self.icon = "mdi:battery-heart-variant"
        case .range: (self.state, self.icon) = (.measurement, "mdi:map-marker-distance")
        case .odometer: (self.state, self.icon) = (.totalIncreasing, "mdi:counter")
        case .chargedEnergy: (self.deviceClass, self.state, self.icon) = ("energy", .totalIncreasing, nil)
        case .tractionBatteryPower, .chargerPower: (self.deviceClass, self.icon) = ("power", nil)
        case .fuelLevel: self.icon = "mdi:gas-station"
        case .vehicleSpeed: (self.deviceClass, self.icon) = ("speed", nil)
        // The unit tells the device class.
        case .engineSpeed, .tractionBatteryVoltage, .tractionBatteryCurrent, .tractionBatteryTemperature,
            .outsideTemperature:
            break
        case .ready, .charging, .pluggedIn: break
        }
    }

    /// Returns the device class of the binary sensor for a role; nil for a role that is not a truth value.
    static func binaryClass(of role: ParameterRole) -> String? {
        switch role {
        case .ready: "running"
        case .charging: "battery_charging"
        case .pluggedIn: "plug"
        default: nil
        }
    }

    /// Whether the number only increases until it is reset.
    ///
    /// True for distances and times, averages excepted, and for counts since the codes were cleared.
    private static func isCounter(_ name: String, _ unit: Unit?) -> Bool {
        switch unit {
        case .kilometer, .mile, .second, .minute, .hour: !name.contains("_avg_")
        case .count: name.contains("since_clear")
        default: false
        }
    }

    private static func icon(of name: String, _ unit: Unit?) -> String {
        switch unit {
        case .revolutionsPerMinute: return "mdi:engine"
        case .degree: return "mdi:angle-acute"
        case .gramPerSecond, .kilogramPerHour, .poundPerMinute, .poundPerHour: return "mdi:air-filter"
        case .literPerHour, .gallonPerHour: return "mdi:fuel"
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
