// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import MQTT
import TestSupport
import Testing

@Suite("The files that prove who we are", .serialized)
struct CredentialTests {
    private static func settings(_ directory: TemporaryDirectory) throws -> World.Settings {
        var settings = World.Settings()
        settings.mqtt = """
            url = "mqtts://broker.example"
            ca_file = "\(try directory.write("authority", to: "ca.pem"))"
            username = "van-12"
            password_file = "\(try directory.write("first", to: "password"))"
            """
        return settings
    }

    @Test("Renewed while the agent is connected: it connects anew within three minutes, and loses nothing")
    func renewed() async throws {
        let directory = try TemporaryDirectory()
        let (verdict, (before, during, after)) = try await World.run(Self.settings(directory)) { world in
            try await world.start()
            // This is not a time at which the agent checks the files.
            await world.run(for: .seconds(610))
            let before = world.broker.passwords
            // While the two files change, which takes more than a minute, the agent must not reconnect.
            try directory.write("second", to: "password")
            await world.run(for: .seconds(65))
            try directory.write("another authority", to: "ca.pem")
            await world.run(for: .seconds(50))
            let during = world.broker.passwords
            await world.run(for: .seconds(130))
            let after = world.broker.passwords
            await world.run(for: .seconds(600))
            return (before, during, after)
        }
        // There are two connections. The agent makes the second for the vehicle.
        #expect(before == ["first", "first"] && during == before)
        #expect(after == before + ["second"])
        verdict.expectWhole(atLeast: 1000)
    }

    @Test("A password that was refused is not tried for minutes; a new one is tried once it is there")
    func refused() async throws {
        let directory = try TemporaryDirectory()
        let (verdict, (before, after)) = try await World.run(Self.settings(directory)) { world in
            world.broker.turn(.refuses(.badCredentials))
            try await world.start()
            // This is longer than the longest backoff.
            await world.run(for: .seconds(3600))
            let before = world.broker.attempts.count
            try directory.write("second", to: "password")
            world.broker.turn(.acknowledges(after: ScriptedBroker.delay))
            await world.run(for: .seconds(150))
            return (before, world.broker.passwords)
        }
        // The backoff is random, up to ten minutes.
        #expect((4...30).contains(before))
        #expect(after.count == before + 1 && after.last == "second")
        verdict.expectWhole(atLeast: 3000)
    }

    @Test("A password file that is gone for a while is waited for, and used once", arguments: [3600, 3630, 3660])
    func gone(seconds: Int) async throws {
        let directory = try TemporaryDirectory()
        let (verdict, passwords) = try await World.run(Self.settings(directory)) { world in
            try await world.start()
            await world.run(for: .seconds(300))
            try directory.write("", to: "password")
            world.broker.cut()
            await world.run(for: .seconds(seconds))
            try directory.write("second", to: "password")
            await world.run(for: .seconds(150))
            return world.broker.passwords
        }
        #expect(passwords == ["first", "first", "second"])
        verdict.expectWhole(atLeast: 3000)
    }
}
