// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("Bad input")
struct BadInputTests {
    /// Bytes that no adapter sends, or sends at this time; none is a reply to a request that the agent makes here.
    static let noise: [(name: String, bytes: [UInt8])] = [
        ("every byte there is", Array(0...255)),
        ("invalid UTF-8", [0xC3, 0x28, 0xFF, 0xFE, 0xED, 0xA0, 0x80, 0x0D, 0x3E]),
        ("the late reply of another PID", Array("7E80341057B\r\r>".utf8)),
        ("the late reply of another ECU", Array("7EA0341057B\r7EB0341057C\r>".utf8)),
        ("a refusal of another service", Array("7E8037F0912\r\r>".utf8)),
        ("two ECUs in one burst, cut", Array("7E80341057B7E9034105".utf8)),
        ("a first frame with nothing after it", Array("7E8100A410500112233\r>".utf8)),
        ("prompts", Array(repeating: UInt8(ascii: ">"), count: 5000)),
        ("a line of 10 MB without a prompt", Array(repeating: UInt8(ascii: "4"), count: 10_000_000)),
    ]

    @Test("Noise on the adapter's line becomes no value, and is counted")
    func noisyAdapter() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(["--trip", "1", "--pause", "3600"])
            let relay = try Relay(to: car.port)
            let agent = try bench.start(
                .init(
                    adapter: "tcp:127.0.0.1:\(relay.port)",
                    parameters: ["engine_speed = 0.1", "vehicle_speed = 0.1"]
                )
            )
            defer { agent.signal() }
            _ = try await bench.first("parameters/engine_speed", of: vin) { $0.json["value"] == 0 }
            let standing = await bench.observer.count
            for (name, bytes) in Self.noise {
                let count = await bench.observer.count
                relay.inject(bytes)
                _ = try await bench.observer.first("samples after \(name)", after: count + 1) {
                    $0.topic == "obd/\(vin)/telemetry" && !$0.json["series"]["engine_speed"].isNull
                }
            }
            // A new session begins, so that no noise is still on its way.
            var count = await bench.observer.count
            relay.drop()
            _ = try await bench.first("events", of: vin, after: count) { $0.json["event"] == "vehicle_identified" }
            // The line loses characters, so no header is complete.
            count = await bench.observer.count
            relay.rewrite { $0.filter { $0 != UInt8(ascii: "7") } }
            _ = try await bench.first("status", of: vin, after: count) { $0.json["link"] == "waiting" }
            relay.rewrite(nil)
            count = await bench.observer.count
            _ = try await bench.first("status", of: vin, after: count) {
                $0.json["link"] == "connected" && ($0.json["dropped"]["replies"].double ?? 0) > 0
            }
            _ = try await bench.first("telemetry", of: vin, after: count) { !$0.json["series"]["engine_speed"].isNull }

            #expect(agent.isRunning)
            let messages = await bench.observer.messages.dropFirst(standing)
            for message in messages {
                if let name = message.topic.split(separator: "/parameters/").dropFirst().first {
                    // The supply voltage is a value of the adapter, and not of the vehicle.
                    if name == "supply_voltage" { continue }
                    #expect(["engine_speed", "engine_speed/7E9", "vehicle_speed"].contains(name))
                    #expect(message.json["value"] == 0)
                } else if message.topic.hasSuffix("/telemetry") {
                    for (name, series) in message.json["series"].members where name != "supply_voltage" {
                        #expect(series["dv"].elements.allSatisfy { $0 == 0 })
                    }
                }
            }
        }
    }

    @Test("What is no command is counted, refused now and then, and harms nothing")
    func badCommands() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let relay = try Relay(to: car.port)
            let agent = try bench.start(.init(adapter: "tcp:127.0.0.1:\(relay.port)"))
            defer { agent.signal() }
            _ = try await bench.first("parameters/engine_speed", of: vin)
            // The agent receives commands for the vehicle only a moment after the first value.
            _ = try await bench.perform(CommandText(id: "first", command: "describe"), on: vin)

            let nested = Array(repeating: UInt8(ascii: "["), count: 60_000)
            let deep = (0..<20).reduce("1") { inner, _ in "{\"a\": \(inner)}" }
            let payloads: [[UInt8]] = [
                [], [0], Array("no JSON".utf8), Array("[]".utf8), Array("null".utf8), Array("17".utf8),
                Array("{}".utf8),
                Array("{\"id\": 7}".utf8), [0x7B, 0x22, 0xC3, 0x28, 0x22, 0x3A, 0x31, 0x7D], nested, Array(deep.utf8),
                Array(repeating: UInt8(ascii: " "), count: 60_000), Array(repeating: 0xFF, count: 60_000),
                Array("{\"id\": \"\(String(repeating: "x", count: 70))\"}".utf8),
                Array("{\"id\": \"a\", \"id\": \"b\", \"command\": \"describe\"}".utf8),
            ]
            for payload in payloads { try await bench.publisher.publish(payload, to: "obd/\(vin)/commands") }
            // The agent drops messages that are too large without a response. There are more of them than the broker
            // keeps in flight.
            for size in [1_000_000] + Array(repeating: 100_000, count: 24) {
                try await bench.publisher.publish([UInt8](repeating: 0xFF, count: size), to: "obd/\(vin)/commands")
            }
            let response = try await bench.perform(CommandText(id: "good", command: "describe"), on: vin)
            #expect(response["state"] == "succeeded")

            let told = await bench.observer.count
            relay.drop()
            let status = try await bench.first("status", of: vin, after: told) { $0.json["link"] != "connected" }
            #expect(status.json["dropped"]["commands"].double == Double(payloads.count))
            let refusals = await bench.observer.messages.filter {
                $0.topic == "obd/\(vin)/responses" && $0.json["state"] == "refused"
            }
            #expect((1...payloads.count).contains(refusals.count))
            #expect(refusals.allSatisfy { $0.json["reason"] == "malformed" })
            #expect(agent.isRunning)
        }
    }
}
