// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import SQLite
import Store
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("What was recorded outlives the process")
struct DurabilityTests {
    /// The identity of a record for consumers.
    private struct Number: Hashable, Comparable {
        var epoch: Double
        var seq: Double

        init?(_ json: JSON) {
            guard let epoch = json["epoch"].double, let seq = json["seq"].double else { return nil }
            (self.epoch, self.seq) = (epoch, seq)
        }

        static func < (left: Number, right: Number) -> Bool { (left.epoch, left.seq) < (right.epoch, right.seq) }
    }

    /// Waits until the database has unsent telemetry of `epochs` starts of the agent.
    private static func waitForTelemetry(epochs: Int, in directory: TemporaryDirectory) async throws {
        try await eventually("telemetry of \(epochs) starts on the disk") {
            let database = try Database("\(directory.path)/obd-agent.db", .readOnly)
            return try database.integer("SELECT count(DISTINCT id >> 30) FROM telemetry") ?? 0 >= epochs
        }
    }

    @Test("An agent that is killed during an outage sends after it what it had read, once and in order")
    func killed() async throws {
        try await Bench.run(weight: 2) { bench in
            let car = try await SimulatedCar()
            let relay = try Relay(to: bench.broker.port)
            var settings = Bench.Settings(
                adapter: car.address,
                mqtt: ["url = \"mqtt://127.0.0.1:\(relay.port)\""],
                parameters: ["engine_speed = 0.2"]
            )
            settings.storeWindow = 0
            var agent = try bench.start(settings)
            let first = try await bench.first("telemetry", of: vin)
            relay.drop(refusing: true)
            let before = await bench.observer.count
            for round in 1...3 {
                try await Self.waitForTelemetry(epochs: round, in: bench.directory)
                agent.signal(9)
                _ = try await agent.exitStatus()
                agent = try bench.start(settings)
            }
            // The agent remembers the vehicle, so it also knows the topics.
            relay.accept()
            defer { agent.signal() }
            _ = try await bench.first("telemetry", of: vin, after: before) {
                ($0.json["epoch"].double ?? 0) >= (first.json["epoch"].double ?? 0) + 3
            }
            for stream in ["telemetry", "events"] {
                // Until the agent knows the vehicle, it publishes events below its own topics, in the same numbering.
                let records = await bench.observer.messages.filter { $0.topic.hasSuffix("/\(stream)") }.map(\.json)
                var seen: Set<Number> = []
                let numbers = records.compactMap(Number.init).filter { seen.insert($0).inserted }
                #expect(numbers == numbers.sorted())
                #expect(Set(numbers.map(\.epoch)).count == 4, "\(stream)")
                for epoch in Set(numbers.map(\.epoch)) {
                    let own = numbers.filter { $0.epoch == epoch }.map(\.seq)
                    #expect(own == (1...own.count).map(Double.init), "\(stream), \(epoch)")
                }
            }
        }
    }

    @Test("Two agents do not share a directory: the second ends, and says who has it")
    func oneAgentOnly() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let settings = Bench.Settings(adapter: car.address)
            let agent = try bench.start(settings)
            defer { agent.signal() }
            _ = try await bench.first("vehicle", of: vin)
            let second = try bench.start(settings)
            #expect(try await second.exitStatus() == .exited(78))
            var errors: [String] = []
            for await line in second.errors { errors.append(line) }
            let holder = "in use by process \(agent.processID) (obd-agent)"
            #expect(errors.contains { $0.contains(bench.directory.path) && $0.contains(holder) }, "\(errors)")
        }
    }

    @Test("A code was first seen when the first of two processes saw it")
    func firstSeen() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(["--codes", "P0301"])
            let settings = Bench.Settings(adapter: car.address)
            var times: [String?] = []
            for _ in 0..<2 {
                let count = await bench.observer.count
                let agent = try bench.start(settings)
                let codes = try await bench.first("codes", of: vin, after: count) { !$0.json["codes"].elements.isEmpty }
                times.append(codes.json["codes"].elements.first?["first_seen"].string)
                agent.signal()
                #expect(try await agent.exitStatus() == .exited(0))
            }
            #expect(times[0] != nil && times[0] == times[1], "\(times)")
        }
    }

    @Test("A command that was obeyed is not obeyed again by the next process")
    func commandOnce() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(["--codes", "P0301"])
            let settings = Bench.Settings(adapter: car.address)
            let command = CommandText(id: "once", command: "read_codes")
            for isRepeat in [false, true] {
                let count = await bench.observer.count
                let agent = try bench.start(settings)
                _ = try await bench.first("vehicle", of: vin, after: count)
                let response = try await bench.perform(command, on: vin)
                #expect(response["state"] == "succeeded" && response["repeat"] == .bool(isRepeat))
                agent.signal(9)
                _ = try await agent.exitStatus()
            }
        }
    }

    @Test("What was selected is polled after a restart; a selection that was temporary is not")
    func selection() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let settings = Bench.Settings(adapter: car.address, parameters: ["engine_speed = 1"])
            func restart(expecting names: Set<String>) async throws -> ChildProcess {
                let count = await bench.observer.count
                let agent = try bench.start(settings)
                let vehicle = try await bench.first("vehicle", of: vin, after: count)
                #expect(Set(vehicle.json["selected"].members.keys) == names)
                return agent
            }
            func select(_ arguments: String, _ id: String) async throws {
                let command = CommandText(id: id, command: "select_parameters", arguments: arguments)
                #expect(try await bench.perform(command, on: vin)["state"] == "succeeded")
            }
            func kill(_ agent: ChildProcess) async throws {
                agent.signal(9)
                _ = try await agent.exitStatus()
            }
            var agent = try await restart(expecting: ["engine_speed"])
            try await select(#"{"parameters": {"vehicle_speed": 0.5, "fuel_level": 60}}"#, "a")
            try await select(#"{"parameters": {"coolant_temperature": 5}, "duration": 600}"#, "b")
            try await kill(agent)
            agent = try await restart(expecting: ["vehicle_speed", "fuel_level"])
            try await kill(agent)
        }
    }

    @Test("A command in the middle of which the agent was killed is answered by the next process, once")
    func interrupted() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let settings = Bench.Settings(adapter: car.address)
            var agent = try bench.start(settings)
            _ = try await bench.first("vehicle", of: vin)
            agent.signal(9)
            _ = try await agent.exitStatus()
            let accepted = #"{"id":"cut","command":"clear_codes","state":"accepted","reason":null,"repeat":false}"#
            try Database("\(bench.directory.path)/obd-agent.db").run(
                """
                INSERT INTO commands (id, boot, at, response, vehicle, response_topic, correlation, state)
                VALUES ('cut', 1, 1, ?, ?, ?, x'2A', 'accepted')
                """,
                [.blob(Array(accepted.utf8)), .text(vin), .text("obd/\(vin)/responses/desk")]
            )
            agent = try bench.start(settings)
            let response = try await bench.first("responses", of: vin).json
            #expect(response["id"] == "cut" && response["state"] == "failed" && response["reason"] == "interrupted")
            let own = try await bench.first("responses/desk", of: vin)
            #expect(own.json["id"] == "cut" && own.json["state"] == "failed")
            let again = try await bench.perform(CommandText(id: "cut", command: "describe"), on: vin)
            #expect(again["state"] == "failed" && again["repeat"] == true)
            agent.signal(9)
            _ = try await agent.exitStatus()
        }
    }
}
