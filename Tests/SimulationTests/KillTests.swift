// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@Suite("The process is killed", .serialized)
struct KillTests {
    /// The times of the kill, over the windows of batch and store (10 s each), in steps that no other period divides.
    private static let moments = (0..<150).map { Duration.milliseconds(73 * $0) }

    @Test("At every step of a record's life, and nothing is lost but what the window allows, and nothing comes twice")
    func everyStep() async throws {
        for moment in Self.moments {
            let verdict = try await World.run(interval: 1) { world in
                try await world.start()
                await world.run(for: .seconds(20) + moment)
                try world.kill()
                try await world.start()
                await world.run(for: .seconds(25))
            }
            verdict.expectWhole(atLeast: 100)
            guard verdict.lost.isEmpty, verdict.mistakes.isEmpty else { return }
        }
    }

    @Test("Again and again during an outage, and the numbers of no two starts are the same")
    func duringAnOutage() async throws {
        let verdict = try await World.run(interval: 1) { world in
            try await world.start()
            await world.run(for: .seconds(60))
            world.broker.turn(.isAway)
            for round in 1...20 {
                await world.run(for: .seconds(30) + .milliseconds(731 * round))
                try world.kill()
                try await world.start()
            }
            world.broker.turn(.acknowledges(after: ScriptedBroker.delay))
            await world.run(for: .seconds(120))
        }
        verdict.expectWhole(atLeast: 2000)
        #expect(verdict.events.count { $0 == "started" } == 21)
    }
}
