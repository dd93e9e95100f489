// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("What goes over the mobile network")
struct UplinkTests {
    @Test("The Python in the document reads compressed telemetry of an agent")
    func compressed() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let agent = try bench.start(.init(adapter: car.address, uplink: ["compression = \"zlib\""]))
            defer { agent.signal() }
            let document = "\(PythonTools.packageRoot)/docs/contract/README.md"
            let read = Locked(Set<[UInt8]>())
            var speed: [JSON] = []
            // The first batch may have nothing but the supply voltage.
            for _ in 0..<5 where speed.isEmpty {
                let batch = try await bench.first("telemetry/zlib", of: vin) { message in
                    read.withLock { !$0.contains(message.payload) }
                }
                _ = read.withLock { $0.insert(batch.payload) }
                #expect(!batch.retain && batch.qos == 1)
                let arguments = [document, batch.topic, batch.payload.hexadecimal]
                let output = try await PythonTools().run("decode_telemetry", arguments)
                let samples = JSON(parsing: Array((output.first ?? "").utf8)).elements
                speed = samples.first { $0.elements.first == "engine_speed" }?.elements ?? []
            }
            #expect(speed.count == 4 && speed[1] == "7E8")
            #expect((500...8000).contains(speed.last?.double ?? 0))
            #expect(await !bench.observer.messages.contains { $0.topic.hasSuffix("/telemetry") })
        }
    }

    @Test("With the live plane off no value is published but in telemetry, and status tells what went out")
    func off() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let relay = try Relay(to: bench.broker.port)
            let agent = try bench.start(
                .init(
                    adapter: car.address,
                    mqtt: ["url = \"mqtt://127.0.0.1:\(relay.port)\""],
                    uplink: ["live = \"off\"", "daily_budget_mib = 5"]
                )
            )
            defer { agent.signal() }
            let status = try await bench.first("status", of: vin) { ($0.json["sent_today"].double ?? 0) > 100 }
            #expect(Int(status.json["sent_today"].double ?? 0) <= relay.bytesFromNear)
            #expect(status.json["budget"] == ["bytes": 5_242_880, "level": "normal"])
            _ = try await bench.first("telemetry", of: vin) { $0.json["seq"] == 3 }
            _ = try await bench.first("codes", of: vin)
            #expect(await !bench.observer.messages.contains { $0.topic.contains("/parameters/") })
        }
    }

    @Test("On demand a value comes once a minute, until somebody asks for a boost")
    func boost() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            var settings = Bench.Settings(adapter: car.address, uplink: ["live = \"on-demand\""])
            settings.allow.append("boost")
            let agent = try bench.start(settings)
            defer { agent.signal() }
            _ = try await bench.first("telemetry", of: vin) { $0.json["seq"] == 3 }
            let topic = "obd/\(vin)/parameters/engine_speed"
            #expect(await bench.observer.messages.filter { $0.topic == topic }.count == 1)
            let count = await bench.observer.count
            let arguments = #"{"parameters": ["engine_speed", "oil_temperature"], "duration": 600}"#
            let command = CommandText(id: "b", command: "boost", arguments: arguments)
            let response = try await bench.perform(command, on: vin)
            #expect(response["result"]["parameters"] == ["engine_speed"])
            #expect(response["result"]["not_selected"] == ["oil_temperature"])
            for _ in 0..<2 {
                let first = try await bench.first("parameters/engine_speed", of: vin, after: count)
                let value = first.json["value"]
                _ = try await bench.first("parameters/engine_speed", of: vin, after: count) {
                    $0.json["value"] != value
                }
            }
        }
    }
}
