// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@Suite("Limits, and an agent that is away", .serialized)
struct LimitTests {
    /// The agent is away for some time, with or without its machine.
    private static func interrupt(_ world: World, losesPower: Bool, for duration: Duration) async throws {
        if losesPower {
            try await world.cutPower(for: duration)
        } else {
            try world.kill()
            await world.run(for: duration)
        }
        try await world.start()
    }

    private static func published(_ world: World) throws -> JSON {
        let text = try #require(world.broker.retained("\(world.prefix)/limits"))
        return JSON(payload: Array(text.utf8))["limits"]["cold"]
    }

    @Test("A limit is exceeded once and cleared once, also if the agent is away at its end", arguments: [false, true])
    func once(losesPower: Bool) async throws {
        var settings = World.Settings()
        // The coolant of the simulated engine needs some four minutes for this.
        settings.parameters = "[limit.cold]\nwhen = \"coolant_temperature < 75\""
        let (verdict, _) = try await World.run(settings) { world in
            let counts = { ["limit_exceeded", "limit_cleared"].map { world.ledger.events($0).count } }
            try await world.start()
            await world.run(for: .seconds(60))
            #expect(counts() == [1, 0])
            let before = try Self.published(world)
            #expect(before["exceeded"] == true && before["since"].time != nil)

            try await Self.interrupt(world, losesPower: losesPower, for: .seconds(10))
            await world.run(for: .seconds(40))
            #expect(counts() == [1, 0])
            #expect(try Self.published(world) == before)

            try await Self.interrupt(world, losesPower: losesPower, for: .seconds(240))
            await world.run(for: .seconds(60))
            #expect(counts() == [1, 1])
            #expect(try Self.published(world)["exceeded"] == false)
        }
        #expect(verdict.mistakes.isEmpty, "\(verdict)")
    }
}
