// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@Suite("An ordinary day")
struct OrdinaryDayTests {
    @Test("An hour of driving arrives whole, each value once, at its time")
    func hour() async throws {
        let verdict = try await World.run { world in
            try await world.start()
            await world.run(for: .seconds(3600))
        }
        print(verdict)
        #expect(verdict.lost.isEmpty && verdict.mistakes.isEmpty && verdict.repeats == 0)
        #expect(verdict.arrived > 3500)
    }
}
