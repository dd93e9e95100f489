// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("Clearing though the engine runs")
struct EngineOverrideTests {
    private static let arguments = #"{"confirm": "all", "override_engine": true}"#

    private static func clear(_ id: String, _ bench: Bench) async throws -> JSON {
        try await bench.perform(
            CommandText(id: id, command: "clear_codes", arguments: Self.arguments, vehicle: vin, key: Bench.engineer),
            on: vin
        )
    }

    @Test("An idling car is cleared where the configuration allows it, and not where it does not")
    func idling() async throws {
        try await Bench.run { bench in
            // The car drives for about forty seconds of each minute, and idles for the rest.
            let car = try await SimulatedCar(["--codes", "P0301", "--trip", "60", "--pause", "1", "--clears-running"])
            var settings = Bench.Settings(adapter: car.address)
            var agent = try bench.start(settings)
            _ = try await bench.first("vehicle", of: vin)
            let refused = try await Self.clear("c-1", bench)
            #expect(refused["state"] == "refused" && refused["reason"] == "not_allowed")
            agent.signal()
            _ = try await agent.exitStatus()

            settings.commands = ["engine_override = true"]
            let count = await bench.observer.count
            agent = try bench.start(settings)
            defer { agent.signal() }
            _ = try await bench.first("vehicle", of: vin, after: count)
            // The agent sends no clear while the car moves.
            var answer = JSON.null
            for attempt in 0..<20 {
                answer = try await Self.clear("c-2-\(attempt)", bench)
                #expect(answer["result"]["engine_override"] == true)
                guard answer["reason"] == "vehicle_moving" else { break }
                let seen = await bench.observer.count
                _ = try await bench.first("parameters/vehicle_speed", of: vin, after: seen) { $0.json["value"] == 0 }
            }
            #expect(answer["state"] == "succeeded" && answer["result"]["ecus"]["7E8"] == "cleared")
            #expect(answer["result"]["gone"].elements.map { $0["code"] } == ["P0301"])
            #expect((answer["result"]["engine_speed"].double ?? 0) > 0)
            let kept = try await bench.first("events", of: vin) { ($0.json["engine_speed"].double ?? 0) > 0 }
            #expect(kept.json["event"] == "before_clear" && kept.json["engine_override"] == true)
        }
    }
}
