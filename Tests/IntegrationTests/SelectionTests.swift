// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("Selecting what is polled")
struct SelectionTests {
    private static func select(_ id: String, _ arguments: String, _ bench: Bench) async throws -> JSON {
        try await bench.perform(
            CommandText(id: id, command: "select_parameters", arguments: arguments),
            on: vin
        )
    }

    @Test("A selection is changed by name, PID and category, version for version, and outlives the process")
    func changes() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let settings = Bench.Settings(adapter: car.address, parameters: ["engine_speed = 0.5", "fuel_level = 5"])
            var agent = try bench.start(settings)
            _ = try await bench.first("parameters/engine_speed", of: vin)

            let set = #""set": {"010D": {"interval": 1, "dead_band": 200}, "category:temperatures": 20}"#
            let changed = try await Self.select("s-1", #"{\#(set), "remove": ["fuel_level"], "strict": true}"#, bench)
            #expect(changed["state"] == "succeeded" && changed["result"]["version"] == 2)
            let polled = changed["result"]["parameters"].members
            #expect(polled["engine_speed"] == 0.5 && polled["vehicle_speed"] == 1 && polled["fuel_level"] == nil)
            #expect(polled["coolant_temperature"] == 20 && polled["intake_air_temperature"] == 20)
            #expect(changed["result"]["dead_bands"] == ["vehicle_speed": 200])
            #expect(changed["result"]["unsupported"] == [])
            let achieved = changed["result"]["achieved"].members
            #expect(achieved.keys == polled.keys && (achieved["engine_speed"]?.double ?? 0) >= 0.5)

            let conflict = try await Self.select("s-2", #"{"remove": ["010C"], "expected_version": 1}"#, bench)
            #expect(conflict["state"] == "refused" && conflict["reason"] == "version_conflict")
            let strict = try await Self.select("s-3", #"{"set": {"commanded_egr": 1}, "strict": true}"#, bench)
            #expect(strict["state"] == "refused" && strict["reason"] == "not_supported")

            agent.signal(9)
            _ = try await agent.exitStatus()
            let count = await bench.observer.count
            agent = try bench.start(settings)
            defer { agent.signal() }
            let vehicle = try await bench.first("vehicle", of: vin, after: count)
            #expect(vehicle.json["selected"].members == polled)
            #expect(vehicle.json["dead_bands"] == ["vehicle_speed": 200] && vehicle.json["selection_version"] == 2)
        }
    }

    @Test("A dead-band holds live values back, and no sample")
    func deadBand() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let agent = try bench.start(.init(adapter: car.address, parameters: ["engine_speed = 0.2"]))
            defer { agent.signal() }
            // The car drives, so the engine speed changes all the time.
            _ = try await bench.first("parameters/engine_speed", of: vin)
            let arguments = #"{"parameters": {"engine_speed": {"interval": 0.2, "dead_band": 9000}}}"#
            #expect(try await Self.select("s-1", arguments, bench)["state"] == "succeeded")
            let before = await bench.observer.count
            // After four batches of a second, at least two were read completely under the new selection.
            for _ in 0..<4 {
                let count = await bench.observer.count
                _ = try await bench.first("telemetry", of: vin, after: count) {
                    Set($0.json["series"]["engine_speed"]["dv"].elements).count > 1
                }
            }
            let live = await bench.observer.messages[before...].filter {
                $0.topic == "obd/\(vin)/parameters/engine_speed"
            }
            // One value from before the change may still be on its way.
            #expect(live.count <= 1, "\(live.map(\.text))")
        }
    }

    @Test("More than the link carries is told beforehand")
    func tooMuch() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(["--protocol", "5"])
            let agent = try bench.start(.init(adapter: car.address, parameters: ["engine_speed = 0.5"]))
            defer { agent.signal() }
            _ = try await bench.first("telemetry", of: vin) { !$0.json["series"]["engine_speed"].isNull }
            let arguments = #"{"parameters": {"category:engine": 0.05, "category:air": 0.05, "category:fuel": 0.05}}"#
            let selected = try await Self.select("s-1", arguments, bench)
            let wishes = selected["result"]["parameters"].members
            let achieved = selected["result"]["achieved"].members
            #expect(wishes.count >= 8 && achieved.count == wishes.count)
            let told = try #require(achieved["engine_speed"]?.double)
            #expect(told > 0.05)
            #expect(achieved.values.allSatisfy { $0.double == told })
        }
    }
}
