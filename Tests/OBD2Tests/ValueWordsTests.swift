// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2
import Testing

@Suite("The words of a value for screens")
struct ValueWordsTests {
    @Test(
        "A parameter with one value has the title of the parameter, others have a phrase",
        arguments: [
            ("engine_speed", "Engine speed"), ("o2_sensor_b1s1_voltage", "O2 sensor B1S1 voltage"),
            ("supply_voltage", "12 V supply"), ("my_own_value", "My own value"),
            // A custom parameter may have the digits of a PID as its name.
            ("ac", "A/C"), ("", ""),
        ]
    )
    func titles(name: String, title: String) {
        #expect(ValueWords(name).title == title)
    }

    @Test("The step is that of the resolution, in metric and in imperial units")
    func steps() throws {
        #expect(ValueWords("engine_speed").step(in: "rpm") == 0.25)
        #expect(ValueWords("supply_voltage").step(in: "V") == 0.01)
        #expect(ValueWords("vehicle_speed").step(in: "km/h") == 1)
        let mile = try #require(ValueWords("vehicle_speed").step(in: "mph"))
        #expect(0.62...0.63 ~= mile)
        let fahrenheit = try #require(ValueWords("coolant_temperature").step(in: "°F"))
        #expect(1.79...1.81 ~= fahrenheit)
        #expect(ValueWords("vehicle_speed").step(in: "furlong") == nil)
        #expect(ValueWords("my_own_value").step(in: "V") == nil && ValueWords("ac").step(in: "") == nil)
    }
}
