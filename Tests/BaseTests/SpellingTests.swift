// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Base

@Suite struct SpellingTests {
    @Test(
        "Each typing error counts one",
        arguments: [
            ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("username", "username", 0), ("usernme", "username", 1),
            ("userrname", "username", 1), ("usernane", "username", 1), ("usrename", "username", 1), ("ab", "ba", 1),
            ("kitten", "sitting", 3),
        ]
    )
    func distance(first: String, second: String, distance: Int) {
        #expect(Spelling.distance(Array(first.utf8), Array(second.utf8)) == distance)
    }

    @Test("The nearest word is suggested, unless it is too far")
    func closest() {
        let words = ["engine_speed", "vehicle_speed", "engine_load", "url"]
        #expect(Spelling.closest(to: "engin_sped", in: words) == "engine_speed")
        #expect(Spelling.closest(to: "Engine_Speed", in: words) == "engine_speed")
        #expect(Spelling.closest(to: "vehicle_sped", in: words) == "vehicle_speed")
        #expect(Spelling.closest(to: "ulr", in: words) == "url")
        #expect(Spelling.closest(to: "uri_", in: words) == nil)
        #expect(Spelling.closest(to: "flux", in: words) == nil)
        #expect(Spelling.closest(to: "url", in: words) == nil)
        #expect(Spelling.closest(to: "speed", in: words) == nil)
        #expect(Spelling.closest(to: String(repeating: "engine_speed", count: 100_000), in: words) == nil)
    }

    @Test(
        "A name with the same parts is nearer than one with about the same letters",
        arguments: [
            ("engine_oil_temperature", "oil_temperature"), ("oil_temp", "oil_temperature"),
            ("engine_coolant_temprature", "coolant_temperature"), ("intake_temperature", "intake_air_temperature"),
            ("intake_air_temperatur", "intake_air_temperature"), ("hv_battery_power", "traction_battery_power"),
            ("vehicle_speed_kmh", "vehicle_speed"), ("battery_age", nil), ("oil_level_sensor_status", nil),
        ]
    )
    func parts(word: String, nearest: String?) {
        let words = [
            "coolant_temperature", "coolant_temperature_sensor_s1", "engine_oil_rating", "intake_air_temperature",
            "oil_temperature", "traction_battery_power", "vehicle_speed",
        ]
        #expect(Spelling.closest(to: word, in: words) == nearest)
    }
}
