// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("Parts go, and come back")
struct ResilienceTests {
    @Test("SIGTERM says offline and ends with 0 within 2 seconds")
    func termination() async throws {
        try await Bench.run(weight: 4) { bench in
            let car = try await SimulatedCar()
            let agent = try bench.start(.init(adapter: car.address))
            _ = try await bench.first("parameters/engine_speed", of: vin)
            let count = await bench.observer.count
            let start = ContinuousClock.now
            agent.signal()
            let status = try await agent.exitStatus()
            #expect(status == .exited(0))
            #expect(ContinuousClock.now - start < .seconds(2))
            let offline = try await bench.first("availability", of: vin, after: count)
            #expect(offline.text == "offline" && offline.retain)
            // The agent sends the samples that it read before the end.
            _ = try await bench.first("telemetry", of: vin)
        }
    }

    @Test("The broker says offline of an agent that is killed")
    func lastWill() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let agent = try bench.start(.init(adapter: car.address))
            _ = try await bench.first("parameters/engine_speed", of: vin)
            let count = await bench.observer.count
            agent.signal(9)
            let offline = try await bench.first("availability", of: vin, after: count)
            #expect(offline.text == "offline" && offline.retain && offline.qos == 1)
        }
    }

    @Test("A broker that was killed and comes back gets everything again")
    func brokerRestart() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(["--codes", "P0301"])
            let agent = try bench.start(.init(adapter: car.address))
            defer { agent.signal() }
            _ = try await bench.first("codes", of: vin)
            try await bench.broker.kill()
            let count = await bench.observer.count
            try await bench.broker.restart()
            for topic in [
                "availability", "status", "vehicle", "codes", "monitors", "parameters/engine_speed", "telemetry",
            ] {
                _ = try await bench.first(topic, of: vin, after: count)
            }
            let response = try await bench.perform(CommandText(id: "after", command: "read_codes"), on: vin)
            #expect(response["state"] == "succeeded")
        }
    }

    @Test("Records of an outage of the network arrive after it, in order and without a gap")
    func networkOutage() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let relay = try Relay(to: bench.broker.port)
            let agent = try bench.start(
                .init(adapter: car.address, mqtt: ["url = \"mqtt://127.0.0.1:\(relay.port)\""])
            )
            defer { agent.signal() }
            let before = try await bench.first("telemetry", of: vin)
            var count = await bench.observer.count
            relay.drop(refusing: true)
            _ = try await bench.first("availability", of: vin, after: count) { $0.text == "offline" }
            _ = try await agent.errors.next("a second failed attempt") { $0.contains("No broker") }
            _ = try await agent.errors.next("a second failed attempt") { $0.contains("No broker") }
            count = await bench.observer.count
            relay.accept()
            _ = try await bench.first("availability", of: vin, after: count) { $0.text == "online" }
            let missed = try await bench.first("telemetry", of: vin, after: count)
            _ = try await bench.first("telemetry", of: vin, after: count) {
                ($0.json["seq"].double ?? 0) >= (missed.json["seq"].double ?? 0) + 3
            }
            let records = await bench.observer.messages.filter { $0.topic == "obd/\(vin)/telemetry" }.map(\.json)
            let numbers = records.compactMap { $0["seq"].double }.reduce(into: [Double]()) { numbers, number in
                // With QoS 1 a record may arrive twice.
                if numbers.last != number { numbers.append(number) }
            }
            #expect(numbers == (1...numbers.count).map(Double.init))
            #expect(Set(records.map { $0["epoch"] }) == [before.json["epoch"]])
        }
    }

    @Test("An adapter that is lost and comes back is used again")
    func adapterLoss() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let relay = try Relay(to: car.port)
            let agent = try bench.start(.init(adapter: "tcp:127.0.0.1:\(relay.port)"))
            defer { agent.signal() }
            _ = try await bench.first("telemetry", of: vin)
            var count = await bench.observer.count
            relay.drop(refusing: true)
            let waiting = try await bench.first("status", of: vin, after: count) { $0.json["link"] == "waiting" }
            #expect(waiting.json["problem"].string?.isEmpty == false)
            #expect(waiting.json["vehicle_confirmed"] == false)
            _ = try await bench.first("events", of: vin, after: count) { $0.json["event"] == "disconnected" }
            let refusal = try await bench.perform(CommandText(id: "lost", command: "read_codes"), on: vin)
            #expect(refusal["reason"] == "not_connected")

            count = await bench.observer.count
            relay.accept()
            _ = try await bench.first("status", of: vin, after: count) { $0.json["link"] == "connected" }
            _ = try await bench.first("telemetry", of: vin, after: count) {
                !$0.json["series"]["engine_speed"].isNull
            }
            let availability = await bench.observer.messages.filter { $0.topic == "obd/\(vin)/availability" }
            #expect(availability.map(\.text) == ["online"])
        }
    }

    @Test("Another vehicle behind the adapter has its own topics, and the old one is offline")
    func vehicleChange() async throws {
        try await Bench.run { bench in
            let other = "ZZZSMVLATR4700894"
            let first = try await SimulatedCar(["--codes", "P0301"])
            let second = try await SimulatedCar(["--vin", other, "--seed", "2"])
            let relay = try Relay(to: first.port)
            let agent = try bench.start(.init(adapter: "tcp:127.0.0.1:\(relay.port)"))
            defer { agent.signal() }
            _ = try await bench.first("codes", of: vin)
            _ = try await bench.first("telemetry", of: vin)
            let count = await bench.observer.count
            relay.retarget(to: second.port)
            relay.drop()
            let offline = try await bench.first("availability", of: vin, after: count)
            #expect(offline.text == "offline" && offline.retain)
            _ = try await bench.first("availability", of: other) { $0.text == "online" }
            let vehicle = try await bench.first("vehicle", of: other)
            #expect(vehicle.json["vin"] == .string(other))
            let codes = try await bench.first("codes", of: other)
            #expect(codes.json["codes"] == [])
            _ = try await bench.first("telemetry", of: other)
            let messages = await bench.observer.messages
            let end = messages.lastIndex { $0.topic == "obd/\(vin)/availability" } ?? 0
            #expect(!messages[end...].contains { $0.topic.hasPrefix("obd/\(vin)/parameters/") })
            let response = try await bench.perform(CommandText(id: "new", command: "describe"), on: other)
            #expect(response["state"] == "succeeded")
        }
    }

    @Test("Over TLS, with a name and a password")
    func encrypted() async throws {
        let certificates = try await Certificates()
        let options = Broker.Options(users: ["van-12": "secret", "desk": "other"], certificates: certificates)
        let desk = ["-u", "desk", "-P", "other"]
        try await Bench.run(options, credentials: desk, sender: desk) { bench in
            let car = try await SimulatedCar()
            func mqtt(ca: String, password: String) throws -> [String] {
                [
                    "url = \"mqtts://localhost:\(bench.broker.tlsPort)\"", "ca_file = \"\(ca)\"",
                    "username = \"van-12\"",
                    "password_file = \"\(try bench.directory.write(password, to: "password"))\"",
                ]
            }
            for (ca, password) in [(certificates.strangerCAFile, "secret"), (certificates.caFile, "wrong")] {
                let agent = try bench.start(.init(adapter: car.address, mqtt: try mqtt(ca: ca, password: password)))
                _ = try await agent.errors.next("the refusal") { $0.contains("No broker") }
                #expect(agent.isRunning)
                agent.signal()
                let status = try await agent.exitStatus()
                #expect(status == .exited(0))
            }
            #expect(await bench.observer.messages.isEmpty)
            let agent = try bench.start(
                .init(adapter: car.address, mqtt: try mqtt(ca: certificates.caFile, password: "secret"))
            )
            defer { agent.signal() }
            _ = try await bench.first("parameters/engine_speed", of: vin)
        }
    }
}
