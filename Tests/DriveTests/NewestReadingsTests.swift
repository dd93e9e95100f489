// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive
import OBD2
import Testing

@Suite("The newest readings")
struct NewestReadingsTests {
    private func time(_ seconds: Double) -> MonotonicTime { .zero + .milliseconds(Int64(seconds * 1000)) }

    @Test("A reading counts until it is too old")
    func age() {
        var newest = NewestReadings(maximumAge: .seconds(10))
        newest.receive([Reading("a", 1, "V", at: self.time(0))])
        #expect(newest.value("a", at: self.time(10)) == 1)
        #expect(newest.value("a", at: self.time(10.5)) == nil)
        #expect(newest.value("a", at: self.time(10.5), maximumAge: .seconds(11)) == 1)
        #expect(newest.value("b", at: self.time(0)) == nil)
    }

    @Test("An older reading does not replace a newer one")
    func order() {
        var newest = NewestReadings()
        newest.receive([Reading("a", 2, nil, at: self.time(5)), Reading("a", 1, nil, at: self.time(4))])
        #expect(newest.value("a", at: self.time(5)) == 2)
        newest.clear()
        #expect(newest.value("a", at: self.time(5)) == nil)
    }

    @Test("A role stands for the value that has it, in the role's usual unit; a custom value comes first")
    func roles() {
        var newest = NewestReadings()
        newest.receive([Reading("hybrid_battery_charge", role: .stateOfCharge, 60, "%", at: self.time(0))])
        #expect(newest.value("state_of_charge", at: self.time(0)) == 60)
        newest.receive([Reading("soc", role: .stateOfCharge, 61, "%", at: self.time(0))])
        #expect(newest.value("state_of_charge", at: self.time(0)) == 61)
        newest.receive([Reading("power", role: .tractionBatteryPower, 2500, "W", at: self.time(0))])
        #expect(newest.value("traction_battery_power", at: self.time(0)) == 2.5)
        newest.receive([Reading("outside", role: .outsideTemperature, 50, "°F", at: self.time(0))])
        #expect(newest.value("outside_temperature", at: self.time(0)) == 10)
    }

    @Test("A value with the name comes before one with the role")
    func nameFirst() {
        var newest = NewestReadings()
        newest.receive([
            Reading("van_speed", role: .vehicleSpeed, 31, "mph", at: self.time(0)),
            Reading("vehicle_speed", role: .vehicleSpeed, 50, "km/h", at: self.time(0)),
        ])
        #expect(newest.value("vehicle_speed", at: self.time(0)) == 50)
    }
}
