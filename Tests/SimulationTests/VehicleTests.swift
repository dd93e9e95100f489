// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Testing
import Timing

@Suite("The vehicle and its adapter", .serialized)
struct VehicleTests {
    @Test("The adapter is pulled in the middle of a reply, again and again, and its vehicle is found again")
    func unplugged() async throws {
        let verdict = try await World.run(interval: 1) { world in
            try await world.start()
            for round in 1...20 {
                await world.run(for: .seconds(60) + .milliseconds(137 * round))
                world.unplug()
                await world.run(for: .seconds(30))
                world.plug()
            }
            await world.run(for: .seconds(120))
        }
        verdict.expectWhole(atLeast: 4000)
    }

    @Test("A car that sleeps for a night says nothing, and is read again in the morning")
    func asleep() async throws {
        let verdict = try await World.run { world in
            try await world.start()
            await world.run(for: .seconds(1800))
            world.park(true)
            await world.run(for: .seconds(10 * 3600))
            world.park(false)
            await world.run(for: .seconds(1800))
        }
        verdict.expectWhole(atLeast: 3400)
    }

    @Test("The adapter goes into another vehicle: each has its own values, and the old one is said to be offline")
    func swapped() async throws {
        let (verdict, (old, new)) = try await World.run { world in
            try await world.start()
            await world.run(for: .seconds(600))
            let old = world.prefix
            world.swapVehicle()
            await world.run(for: .seconds(600))
            let states = [old, world.prefix].map { world.broker.retained("\($0)/availability") }
            return (states[0], states[1])
        }
        verdict.expectWhole(atLeast: 1100)
        #expect(old == "offline" && new == "online")
        #expect(verdict.events.count { $0 == "vehicle_identified" } == 2)
    }

    @Test("A day of parking and driving, five values every five seconds")
    func day() async throws {
        let verdict = try await World.run { world in
            try await world.start()
            for hours in [8, 3, 5] {
                world.park(true)
                await world.run(for: .seconds(hours * 3600))
                world.park(false)
                await world.run(for: .seconds(hours * 900))
                world.broker.cut()
            }
            await world.run(for: .seconds(4 * 3600))
        }
        verdict.expectWhole(atLeast: 25_000)
    }
}
