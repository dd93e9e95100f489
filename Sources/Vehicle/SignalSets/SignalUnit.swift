// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The unit names of signal sets, with the symbols that this agent writes for them.
enum SignalUnit {
    static let symbols: [String: String] = [
        "ampereHours": "Ah", "amps": "A", "bars": "bar", "celsius": "°C", "centimeters": "cm", "coulombs": "C",
        "degrees": "°", "fahrenheit": "°F", "feet": "ft", "framesPerSecond": "1/s", "gallons": "gal(US)",
        "gallonsPerHour": "gal(US)/h", "gigahertz": "GHz", "gramsPerLiter": "g/L", "gramsPerSecond": "g/s",
        "gravity": "g", "hertz": "Hz", "hours": "h", "inches": "in", "inchPound": "in·lb", "joules": "J",
        "kelvin": "K", "kiloampereHours": "kAh", "kiloamps": "kA", "kilogramsPerHour": "kg/h", "kilohertz": "kHz",
        "kilojoules": "kJ", "kilometers": "km", "kilometersPerHour": "km/h", "kiloohms": "kΩ", "kilopascal": "kPa",
        "kilovolts": "kV", "kilowattHours": "kWh", "kilowattHoursPer100Kilometers": "kWh/100km",
        "kilowattHoursPer100Miles": "kWh/100mi", "kilowatts": "kW", "liters": "L", "litersPerHour": "L/h",
        "megahertz": "MHz", "megaohms": "MΩ", "meters": "m", "metersPerSecond": "m/s",
        "metersPerSecondSquared": "m/s²", "microhertz": "µHz", "microohms": "µΩ", "miles": "mi",
        "milesPerHour": "mph", "milesPerKilowattHour": "mi/kWh", "milliampereHours": "mAh", "milliamps": "mA",
        "milligramsPerDeciliter": "mg/dL", "milligramsPerStroke": "mg/stroke", "millihertz": "mHz",
        "millimeters": "mm", "milliohms": "mΩ", "milliseconds": "ms", "millivolts": "mV", "milliwatts": "mW",
        "minutes": "min", "nanohertz": "nHz", "newtonMeters": "N·m", "ohms": "Ω", "percent": "%",
        "poundFoot": "lb·ft", "psi": "psi", "radians": "rad", "rpm": "rpm", "seconds": "s", "terahertz": "THz",
        "volts": "V", "watts": "W", "yards": "yd",
    ]

    /// The unit names that stand for two states, with the labels of the values.
    static let labels: [String: [Int: String]] = [
        "offon": [0: "off", 1: "on"], "noyes": [0: "no", 1: "yes"], "yesno": [0: "yes", 1: "no"],
    ]

    /// The unit names that mark a text.
    static let texts: Set = ["ascii", "hex"]

    /// The unit names of numbers without a unit.
    private static let none: Set = ["scalar", "normal", "unknown"]

    static func isKnown(_ unit: String) -> Bool {
        Self.symbols[unit] != nil || Self.labels[unit] != nil || Self.texts.contains(unit) || Self.none.contains(unit)
    }
}
