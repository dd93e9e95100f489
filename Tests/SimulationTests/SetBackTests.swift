// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import OBD2
import Simulator
import Store
import Testing

/// Tests of commands on a machine whose synchronized clock was set to another date.
@Suite("A clock that is set back", .serialized)
struct SetBackTests {
    private static let month = Int64(31 * 86_400_000)

    /// Returns the settings of a standing vehicle whose codes may be cleared.
    private static func settings() throws -> World.Settings {
        var settings = World.Settings()
        settings.vehicle.codes = [try #require(DTC("P0301"))]
        (settings.vehicle.trip, settings.vehicle.pause) = (.seconds(1), .seconds(36_000))
        (settings.commands, settings.parking) = (["clear_codes"], "after_seconds = 86400")
        return settings
    }

    /// Sends a command that is issued now, and returns the last response to it.
    private static func answer(_ id: String, _ world: World) async throws -> JSON {
        try await Self.send(id, try world.command(id, "clear_codes", "{\"confirm\": \"all\"}"), world)
    }

    private static func send(_ id: String, _ message: Message, _ world: World) async throws -> JSON {
        world.broker.send(message)
        await world.run(for: .seconds(40))
        return try #require(world.ledger.records("responses").last { $0["id"] == .string(id) })
    }

    @Test(
        "A command that was kept back for a month is not obeyed, until a human resets the clock",
        arguments: [false, true]
    )
    func keptBack(restarts: Bool) async throws {
        let (_, clears): (_, Int) = try await World.run(Self.settings()) { world in
            try await world.start()
            await world.run(for: .seconds(1200))
            let old = try world.command("old", "clear_codes", "{\"confirm\": \"all\"}")
            // The clock is set a month ahead.
            world.set(WallClock(error: Self.month))
            await world.run(for: .seconds(1200))
            // The clock is set back to the time at which the command was issued.
            world.set(.right)
            if restarts {
                try await world.cutPower(for: .seconds(60))
                try await world.start()
            }
            await world.run(for: .seconds(1200))
            #expect(try await Self.send("old", old, world)["reason"] == "clock_unknown")
            #expect(try await Self.answer("new", world)["reason"] == "clock_unknown")
            #expect(world.ledger.clears == 0)
            let now = Timestamp(milliseconds: WallClock.date(at: world.time.now))
            let other = try world.command("other", "clear_codes", "{\"confirm\": \"all\"}")
            await world.run(for: .seconds(10))
            try Recording(in: world.directory).resetDates(to: now + .seconds(10))
            #expect(try await Self.send("other", other, world)["reason"] == "before_journal")
            #expect(world.ledger.clears == 0)
            #expect(try await Self.answer("after", world)["state"] == "succeeded")
            return world.ledger.clears
        }
        #expect(clears == 1)
    }

    @Test("A command that was obeyed is not obeyed again after a jump ahead and back")
    func obeyedOnce() async throws {
        let (_, clears): (_, Int) = try await World.run(Self.settings()) { world in
            try await world.start()
            await world.run(for: .seconds(1200))
            let command = try world.command("once", "clear_codes", "{\"confirm\": \"all\"}")
            #expect(try await Self.send("once", command, world)["state"] == "succeeded")
            try await world.cutPower(for: .seconds(60))
            // The clock is a month ahead for a minute after the start. Meanwhile the agent records a refused command.
            world.set(WallClock(error: Self.month))
            try await world.start()
            await world.run(for: .seconds(20))
            #expect(try await Self.answer("late", world)["reason"] == "expired")
            world.set(.right)
            await world.run(for: .seconds(20))
            #expect(try await Self.send("once", command, world)["repeat"] == true)
            #expect(world.ledger.clears == 1)
            // The jump has no lasting effect.
            #expect(try await Self.answer("next", world)["state"] == "succeeded")
            return world.ledger.clears
        }
        #expect(clears == 2)
    }

    @Test("Corrections of seconds keep nobody from commanding")
    func corrections() async throws {
        let (_, clears): (_, Int) = try await World.run(Self.settings()) { world in
            try await world.start()
            await world.run(for: .seconds(1200))
            for (number, error) in [-2000, 3000, -20_000].enumerated() {
                world.set(WallClock(error: Int64(error)))
                await world.run(for: .seconds(5))
                #expect(try await Self.answer("\(number)", world)["state"] == "succeeded", "\(error) ms")
            }
            return world.ledger.clears
        }
        #expect(clears == 3)
    }
}
