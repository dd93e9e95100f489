// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

@Suite("Whoever may publish to the command topic, and has no key", .serialized)
struct StrangerTests {
    private static let longest = [UInt8](repeating: UInt8(ascii: "x"), count: 65_535)

    /// Returns a message that is no command, with almost the longest properties that MQTT 5 permits.
    private static func garbage(_ world: World, _ payload: [UInt8]) throws -> Message {
        var message = Message(topic: try Topic("\(world.prefix)/commands"), payload: payload, qos: .atLeastOnce)
        let start = "\(world.prefix)/responses/"
        message.properties.responseTopic = try Topic(start + String(repeating: "x", count: 65_000 - start.utf8.count))
        message.properties.correlationData = Self.longest
        return message
    }

    /// Returns a command without a signature, with the longest properties that the agent echoes.
    private static func command(_ world: World, _ id: String, _ name: String, _ arguments: String) throws -> Message {
        var message = try world.command(id, name, arguments)
        let start = "\(world.prefix)/responses/"
        message.properties.responseTopic = try Topic(start + String(repeating: "x", count: 256 - start.utf8.count))
        message.properties.correlationData = Array(Self.longest.prefix(256))
        return message
    }

    private static func settings(_ more: String = "") -> World.Settings {
        var settings = World.Settings()
        settings.mqtt += "\n[uplink]\ndaily_budget_mib = 2\n[home_assistant]\nenabled = true\n\(more)"
        return settings
    }

    @Test("Is sent less than 64 KB in a minute, a tenth of the budget in a day, and stops no telemetry")
    func flood() async throws {
        let (verdict, found) = try await World.run(Self.settings()) { world in
            try await world.start()
            await world.run(for: .seconds(60))
            var most = 0
            let start = world.broker.responseBytes
            let names = World.parameters.map { "\"\($0)\"" }.joined(separator: ", ")
            // Three kinds of messages come for ten minutes each, and then all four for ten more, two a second.
            for minute in 0..<40 {
                let before = world.broker.responseBytes
                for number in 0..<120 {
                    let id = "\(minute)-\(number)"
                    let kind = minute < 30 ? minute / 10 : number % 4
                    let message =
                        switch kind {
                        case 0: try Self.garbage(world, Array("{".utf8))
                        case 1: try Self.command(world, id, "describe", "{}")
                        case 2: try Self.command(world, "same", "read_codes", "{}")
                        default: try Self.command(world, id, "read_parameters", "{\"parameters\": [\(names)]}")
                        }
                    world.broker.send(message)
                    await world.run(for: .milliseconds(500))
                }
                most = max(most, world.broker.responseBytes - before)
            }
            let status = world.broker.retained("\(world.prefix)/status") ?? ""
            return (most: most, all: world.broker.responseBytes - start, status: status)
        }
        #expect(found.most > 10_000 && found.most < 64_000, "\(found)")
        #expect(found.all < 220_000, "\(found)")
        #expect(found.status.contains(#""level":"normal""#), "\(found)")
        verdict.expectWhole(atLeast: 1000)
    }

    @Test("Cannot have the vehicle announced to Home Assistant more than once in ten minutes")
    func births() async throws {
        let (_, counts) = try await World.run(Self.settings()) { world in
            try await world.start()
            await world.run(for: .seconds(120))
            let before = world.broker.announcements
            let birth = Message(
                topic: try Topic("homeassistant/status"),
                payload: Array("online".utf8),
                retain: true
            )
            for _ in 0..<600 {
                world.broker.send(birth)
                await world.run(for: .seconds(1))
            }
            let during = world.broker.announcements - before
            await world.run(for: .seconds(1200))
            return (during, world.broker.announcements - before)
        }
        #expect(counts == (1, 2))
    }
}
