// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Drive
import Testing

@testable import Configuration

@Suite("The table [trips]")
struct TripsTests {
    private func trips(_ text: String) throws -> Configuration.Trips {
        try configuration(shortest + text).trips
    }

    @Test("Trips are recorded by default, without a limit of the speed")
    func usual() throws {
        #expect(try self.trips("") == Configuration.Trips())
        #expect(Configuration.Trips().isEnabled && Configuration.Trips().limits.speed == nil)
        #expect(try self.trips("[trips]\nover_speed = 0").limits.speed == nil)
    }

    @Test("The limits are read")
    func limits() throws {
        let trips = try self.trips(
            "[trips]\nenabled = false\nharsh_braking = 3\nharsh_acceleration = 2.5\nover_speed = 130"
        )
        #expect(!trips.isEnabled)
        #expect(trips.limits == TripLimits(braking: 3, acceleration: 2.5, speed: 130))
    }

    @Test(
        "A limit out of its range is an error",
        arguments: [
            "harsh_braking = 0", "harsh_acceleration = 21", "over_speed = 5", "over_speed = \"fast\"", "score = 1",
        ]
    )
    func problems(line: String) {
        #expect(throws: ConfigurationError.self) { try self.trips("[trips]\n\(line)") }
    }
}
