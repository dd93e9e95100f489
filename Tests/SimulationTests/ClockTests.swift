// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@Suite("The clock", .serialized)
struct ClockTests {
    @Test("It steps by fifty years in either direction, again and again, and no order and no time is lost")
    func steps() async throws {
        let verdict = try await World.run { world in
            try await world.start()
            await world.run(for: .seconds(120))
            for round in 0..<10 {
                world.set(round.isMultiple(of: 2) ? .ahead : .behind)
                await world.run(for: .seconds(97))
                if round == 5 {
                    try world.kill()
                    try await world.start()
                }
                await world.run(for: .seconds(97))
            }
        }
        verdict.expectWhole(atLeast: 1900)
        // The agent knew the date in this boot, so it ignores later jumps of the system clock.
        #expect(verdict.unsynchronised == 0)
    }

    @Test("What was read before the clock was set gets its right time, if it was not sent before")
    func setLate() async throws {
        let verdict = try await World.run { world in
            world.broker.turn(.isAway)
            world.set(.behind)
            try await world.start()
            await world.run(for: .seconds(600))
            world.set(.right)
            await world.run(for: .seconds(60))
            world.broker.turn(.acknowledges(after: ScriptedBroker.delay))
            await world.run(for: .seconds(120))
        }
        verdict.expectWhole(atLeast: 750)
        #expect(verdict.unsynchronised == 0)
    }

    @Test("What was read in a boot whose clock was set later, too late for that process, gets its time as well")
    func setByAnother() async throws {
        let verdict = try await World.run { world in
            world.broker.turn(.isAway)
            world.set(.behind)
            try await world.start()
            await world.run(for: .seconds(300))
            try world.kill()
            try await world.start()
            world.set(.right)
            await world.run(for: .seconds(60))
            // In the next boot, only the store tells the time of this boot.
            try await world.cutPower(for: .seconds(60))
            world.broker.turn(.acknowledges(after: ScriptedBroker.delay))
            try await world.start()
            await world.run(for: .seconds(120))
        }
        verdict.expectWhole(atLeast: 400)
        #expect(verdict.unsynchronised == 0)
    }

    @Test("A clock that is never set: all arrives, in order, and says that its time is not to be trusted")
    func neverSet() async throws {
        let verdict = try await World.run { world in
            world.set(.ahead)
            try await world.start()
            await world.run(for: .seconds(300))
            try await world.cutPower(for: .seconds(600))
            try await world.start()
            await world.run(for: .seconds(300))
        }
        verdict.expectWhole(atLeast: 550)
        #expect(verdict.unsynchronised == verdict.arrived)
    }
}
