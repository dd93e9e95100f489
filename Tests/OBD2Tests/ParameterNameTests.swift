// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import OBD2

@Suite("The name of a parameter, as a user writes it")
struct ParameterNameTests {
    @Test("Every alias stands for a name of the catalog, and is none itself")
    func aliases() {
        for (word, name) in ParameterAliases.names {
            #expect(Parameter.named(name) != nil, "\(word)")
            #expect(Parameter.named(word) == nil, "\(word)")
            #expect(word == word.lowercased() && ParameterName.isName(word))
        }
    }

    @Test(
        "Common words and misspellings lead to the name",
        arguments: [
            ("rpm", "engine_speed"), ("RPM", "engine_speed"), ("speed", "vehicle_speed"),
            ("engin_speed", "engine_speed"),
            ("Engine-Speed", "engine_speed"), ("coolant temp", "coolant_temperature"), ("maf", "mass_air_flow"),
            ("engine_oil_temp", "oil_temperature"), ("flux_capacitor", nil), ("", nil),
        ] as [(String, String?)]
    )
    func suggestion(word: String, name: String?) {
        #expect(ParameterName.suggestion(for: word) == name)
    }

    @Test("Names of custom parameters are suggested too")
    func custom() {
        #expect(ParameterName.suggestion(for: "odometer_kmm", others: ["odometer_km"]) == "odometer_km")
        #expect(ParameterName.suggestion(for: "My-Value", others: ["my_value"]) == "my_value")
    }

    @Test("Only a misspelling of two letters, or a common word, is corrected; a known name is not")
    func correction() {
        #expect(ParameterName.correction(of: "rpm") == "engine_speed")
        #expect(ParameterName.correction(of: "engine_spede") == "engine_speed")
        #expect(ParameterName.correction(of: "Engine_Speed") == "engine_speed")
        for known in ["engine_speed", "010C", "0C", "monitor_status_mil", "oil_pressure", "charger_temperature_2"] {
            #expect(ParameterName.correction(of: known) == nil, "\(known)")
        }
    }

    @Test("A name has letters, digits and low lines")
    func form() {
        for name in ["a", "010C", "custom_1", "Engine_Speed"] { #expect(ParameterName.isName(name)) }
        let long = String(repeating: "a", count: 65)
        for word in ["", "a b", "a=1", "a/b", "ä", "a\n", "$.a", long] { #expect(!ParameterName.isName(word)) }
    }
}
