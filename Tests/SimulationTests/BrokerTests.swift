// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import MQTT
import Testing

@Suite("The broker", .serialized)
struct BrokerTests {
    @Test("A broker that is gone for a week gets all of it afterwards, in order")
    func goneForAWeek() async throws {
        let (verdict, attempts) = try await World.run { world in
            try await world.start()
            await world.run(for: .seconds(600))
            world.broker.turn(.isAway)
            for _ in 1...7 {
                await world.run(for: .seconds(3600))
                world.park(true)
                await world.run(for: .seconds(23 * 3600))
                world.park(false)
            }
            world.broker.turn(.acknowledges(after: ScriptedBroker.delay))
            await world.run(for: .seconds(600))
            return world.broker.attempts
        }
        verdict.expectWhole(atLeast: 7 * 3000)
        // With full jitter, the average pause is half a minute.
        let minutes = 7 * 24 * 60
        #expect(attempts.count > minutes && attempts.count < 3 * minutes, "\(attempts.count)")
    }

    @Test("A broker that never acknowledges is left after a minute, and asked again")
    func neverAcknowledges() async throws {
        let (verdict, attempts) = try await World.run { world in
            world.broker.turn(.keepsSilent)
            try await world.start()
            await world.run(for: .seconds(1800))
            world.broker.turn(.acknowledges(after: ScriptedBroker.delay))
            await world.run(for: .seconds(300))
            return world.broker.attempts.count
        }
        verdict.expectWhole(atLeast: 2000)
        #expect((10...32).contains(attempts), "\(attempts)")
        #expect(verdict.repeats > 0)
    }

    @Test("A broker that acknowledges late slows nothing down but itself, and is not left")
    func acknowledgesLate() async throws {
        let (verdict, attempts) = try await World.run { world in
            world.broker.turn(.acknowledges(after: .seconds(20)))
            try await world.start()
            await world.run(for: .seconds(1800))
            world.broker.turn(.acknowledges(after: ScriptedBroker.delay))
            await world.run(for: .seconds(60))
            return world.broker.attempts.count
        }
        verdict.expectWhole(atLeast: 1800)
        // The agent makes the second connection for the vehicle once the vehicle is known.
        #expect(attempts == 2)
    }

    @Test("What the access list forbids to say of the vehicle before is given up after a while, and that is told")
    func forbidsTheVehicleBefore() async throws {
        let (verdict, dropped) = try await World.run { world in
            try await world.start()
            await world.run(for: .seconds(60))
            world.broker.turn(.isAway)
            await world.run(for: .seconds(300))
            let old = world.prefix
            world.ledger.exemptWhatIsMissing()
            world.swapVehicle()
            world.broker.turn(.forbids(old))
            await world.run(for: .seconds(1200))
            return world.ledger.records("events").filter { $0["event"] == "records_dropped" }
        }
        verdict.expectWhole(atLeast: 1200)
        #expect(dropped.contains { $0["stream"] == "telemetry" })
    }

    @Test(
        "A client id that another client uses costs a few tries an hour, and nothing that was recorded",
        arguments: [
            MQTTError.closedByBroker(code: 0x8E, reason: "Session taken over"),
            .connectionLost("The connection was lost."),
        ]
    )
    func takenOver(error: MQTTError) async throws {
        let (verdict, attempts) = try await World.run { world in
            world.broker.turn(.takesOver(after: .milliseconds(500), error))
            try await world.start()
            await world.run(for: .seconds(6 * 3600))
            let attempts = world.broker.attempts.count
            world.broker.turn(.acknowledges(after: ScriptedBroker.delay))
            await world.run(for: .seconds(1200))
            return attempts
        }
        verdict.expectWhole(atLeast: 15_000)
        #expect((20...150).contains(attempts), "\(attempts)")
    }

    @Test("Refused credentials are tried a few times an hour, and no faster")
    func refusedCredentials() async throws {
        let (verdict, attempts) = try await World.run { world in
            world.broker.turn(.refuses(.badCredentials))
            try await world.start()
            await world.run(for: .seconds(6 * 3600))
            let attempts = world.broker.attempts
            world.broker.turn(.acknowledges(after: ScriptedBroker.delay))
            await world.run(for: .seconds(1000))
            return attempts
        }
        verdict.expectWhole(atLeast: 20_000)
        #expect((20...200).contains(attempts.count), "\(attempts.count)")
        for (earlier, later) in zip(attempts, attempts.dropFirst()) {
            #expect(later - earlier >= .seconds(30), "\(earlier) \(later)")
        }
    }

    @Test("A connection that swallows everything is noticed, and nothing is lost in it")
    func swallows() async throws {
        let verdict = try await World.run { world in
            try await world.start()
            await world.run(for: .seconds(300))
            world.broker.turn(.swallows)
            await world.run(for: .seconds(300))
            world.broker.turn(.acknowledges(after: ScriptedBroker.delay))
            await world.run(for: .seconds(180))
        }
        verdict.expectWhole(atLeast: 750)
    }
}
