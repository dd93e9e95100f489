// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Drive
import OBD2
import Testing

@Suite("Readings")
struct ReadingTests {
    @Test("A reading of a value of the catalogue has its name, role and unit")
    func catalogue() throws {
        let parameter = try #require(Parameter.withPID(0x0D))
        let value = try #require(try parameter.decode([50]).first)
        let reading = try #require(Reading(value, at: .zero))
        #expect(reading == Reading("vehicle_speed", role: .vehicleSpeed, 50, "km/h", at: .zero, resolution: 1))
    }
}
