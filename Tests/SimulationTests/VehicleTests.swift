// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

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
        #expect(verdict.events.count { $0 == "vehicle_changed" } == 1)
    }

    private static let first = "ZZZSMVLATR4700893"
    private static let second = "ZZZSMVLATR4700894"

    @Test(
        "A vehicle that is not expected is silent everywhere but in the agent's own topics, until the right one is back"
    )
    func unexpected() async throws {
        var settings = World.Settings()
        settings.identity = "expected_vin = \"\(Self.first)\""
        let (verdict, topics) = try await World.run(settings) { world in
            try await world.start()
            await world.run(for: .seconds(600))
            world.swapVehicle(vin: Self.second)
            await world.run(for: .seconds(900))
            let during = world.broker.topics.filter { $0.hasPrefix("obd/\(Self.second)/") }
            #expect(world.broker.retained("obd/\(Self.first)/availability") == "offline")
            #expect(world.broker.retained("obd/agent-0123456789ab/availability") == "online")
            let status = try #require(world.broker.retained("obd/agent-0123456789ab/status"))
            #expect(status.contains("\"wrong_vehicle\":\"\(Self.second)\""))
            world.unplug()
            await world.run(for: .seconds(180))
            world.swapVehicle(vin: Self.first)
            await world.run(for: .seconds(600))
            #expect(world.broker.retained("obd/\(Self.first)/availability") == "online")
            #expect(world.broker.retained("obd/agent-0123456789ab/availability") == "offline")
            return during
        }
        #expect(topics.isEmpty)
        #expect(verdict.mistakes.isEmpty && verdict.lost.isEmpty && verdict.arrived > 1000, "\(verdict)")
        #expect(verdict.events.count { $0 == "wrong_vehicle" } == 1, "\(verdict.events)")
        #expect(verdict.events.count { $0 == "vehicle_identified" } == 2)
        #expect(!verdict.events.contains("vehicle_changed"))
    }

    @Test("A configured name stays with its vehicle, also through a restart")
    func named() async throws {
        var settings = World.Settings()
        settings.identity = "name = \"van\""
        let (verdict, states) = try await World.run(settings) { world in
            try await world.start()
            await world.run(for: .seconds(300))
            await world.stop()
            world.swapVehicle(vin: Self.second)
            try await world.start()
            await world.run(for: .seconds(300))
            let away = ["van", Self.second].map { world.broker.retained("obd/\($0)/availability") ?? "" }
            world.swapVehicle(vin: Self.first)
            await world.run(for: .seconds(300))
            return away + ["van", Self.second].map { world.broker.retained("obd/\($0)/availability") ?? "" }
        }
        #expect(states == ["offline", "online", "online", "offline"])
        #expect(verdict.events.count { $0 == "vehicle_changed" } == 2, "\(verdict.events)")
    }

    @Test(
        "The machine is switched off when the vehicle is parked for long, after a last message",
        arguments: [true, false]
    )
    func switchedOff(hasBroker: Bool) async throws {
        var settings = World.Settings()
        settings.shutdownAfter = 1800
        let (verdict, delay) = try await World.run(settings) { world in
            try await world.start()
            await world.run(for: .seconds(1200))
            world.park(true)
            let parked = world.time.now
            await world.run(for: .seconds(1200))
            #expect(world.shutdowns.isEmpty)
            if !hasBroker { world.broker.turn(.isAway) }
            await world.run(for: .seconds(3000))
            if hasBroker {
                let status = try #require(world.broker.retained("\(world.prefix)/status"))
                #expect(status.contains("\"shutting_down\":\"the vehicle has been parked for 30.0 min\""), "\(status)")
            } else {
                world.broker.turn(.acknowledges(after: ScriptedBroker.delay))
                await world.run(for: .seconds(200))
            }
            #expect(world.shutdowns.count == 1)
            return (world.shutdowns.first ?? .zero) - parked
        }
        // The agent needs minutes to see that the vehicle is parked.
        #expect(delay > .seconds(1800) && delay < .seconds(2500), "\(delay)")
        verdict.expectWhole(atLeast: 1000)
        #expect(verdict.events.count { $0 == "shutting_down" } == 1)
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
