// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The names of values as phrases for people.
package enum NamePhrase {
    /// The acronyms in names, with their usual spelling.
    private static let acronyms = [
        "o2": "O2", "egr": "EGR", "vvt": "VVT", "dpf": "DPF", "def": "DEF", "scr": "SCR", "evap": "EVAP", "pm": "PM",
        "abs": "ABS", "mil": "MIL", "obd": "OBD", "dtc": "DTC", "nox": "NOx", "hvess": "HVESS", "aecd": "AECD",
        "nte": "NTE", "nmhc": "NMHC", "pto": "PTO", "vin": "VIN", "ecu": "ECU", "mi": "MI", "gpf": "GPF", "ac": "A/C",
    ]

    /// Returns a name as a phrase: `O2 sensor B1S1 voltage` for `o2_sensor_b1s1_voltage`.
    package static func phrase(_ name: String) -> String {
        let words = name.split(separator: "_").map { word in Self.acronyms[String(word)] ?? Self.word(word) }
        let phrase = words.joined(separator: " ")
        return phrase.prefix(1).uppercased() + phrase.dropFirst()
    }

    /// Returns a word, in upper case if it numbers a bank or a sensor: `B1S1`.
    private static func word(_ word: Substring) -> String {
        let isNumbered = word.count <= 4 && word.first == "b" && word.dropFirst().first?.isNumber == true
        return isNumbered ? word.uppercased() : String(word)
    }
}
