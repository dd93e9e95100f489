// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("Raw requests, sent with mosquitto_pub")
struct RawRequestTests {
    private static func ask(_ id: String, _ arguments: String, _ bench: Bench) async throws -> JSON {
        try await bench.perform(
            CommandText(id: id, command: "raw_request", arguments: arguments, vehicle: vin, key: Bench.engineer),
            on: vin
        )
    }

    @Test("A specialist asks by himself, everything he asks is on record, and polling comes back")
    func reading() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(["--codes", "P0301"])
            var settings = Bench.Settings(adapter: car.address, allow: ["raw_request"])
            settings.parameters = ["engine_speed = 0.2"]
            let agent = try bench.start(settings)
            defer { agent.signal() }
            _ = try await bench.first("telemetry", of: vin)

            let arguments = #"{"requests": ["0902", "010C", "22F190"], "ecu": "7E0", "hold": 2}"#
            let result = try await Self.ask("r-1", arguments, bench)
            #expect(result["state"] == "succeeded" && result["result"]["ecu"] == "7E0")
            let requests = result["result"]["requests"].elements
            let told = requests.first?["answers"]["7E8"]["messages"].elements.first?.string ?? ""
            #expect(told == "490201" + Array(vin.utf8).hexadecimal.uppercased())
            #expect(requests.map { $0["request"] } == ["0902", "010C", "22F190"])
            #expect(requests.last?["answers"]["7E8"] == ["code": "11", "refusal": "service not supported"])

            let events = try await bench.everything().filter { $0.json["event"] == "raw_request" }
            #expect(events.map { $0.json["exchange"] } == requests)
            #expect(events.allSatisfy { $0.json["command_id"] == "r-1" && $0.json["issuer"] == "bench" })
            let count = await bench.observer.count
            _ = try await bench.first("telemetry", of: vin, after: count) {
                !$0.json["series"]["engine_speed"].isNull
            }
            let writing = try await Self.ask("r-2", #"{"requests": ["04"]}"#, bench)
            #expect(writing["state"] == "refused" && writing["reason"] == "not_allowed")
            let forbidden = try await Self.ask("r-3", #"{"requests": ["2701"]}"#, bench)
            #expect(forbidden["state"] == "refused" && forbidden["reason"] == "service_forbidden")
        }
    }

    @Test("It is not allowed unless the configuration says so")
    func defaults() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let agent = try bench.start(.init(adapter: car.address))
            defer { agent.signal() }
            _ = try await bench.first("vehicle", of: vin)
            #expect(try await Self.ask("r-1", #"{"requests": ["0100"]}"#, bench)["reason"] == "not_allowed")
        }
    }

    @Test("What writes is not sent while the engine runs, and clears a standing car after keeping all that it erases")
    func writing() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(["--codes", "P0301"])
            var settings = Bench.Settings(adapter: car.address, allow: ["raw_request", "read_codes"])
            settings.commands = ["raw_writing = true"]
            let agent = try bench.start(settings)
            _ = try await bench.first("parameters/engine_speed", of: vin) { ($0.json["value"].double ?? 0) > 500 }
            let refused = try await Self.ask("w-1", #"{"requests": ["04"]}"#, bench)
            #expect(refused["state"] == "refused" && refused["reason"] == "engine_running")
            let codes = try await bench.perform(CommandText(id: "c-1", command: "read_codes"), on: vin)
            #expect(codes["result"]["codes"].elements.count == 1)
            agent.signal()
            _ = try await agent.exitStatus()
        }
        try await Bench.run { bench in
            let car = try await SimulatedCar(["--trip", "1", "--pause", "3600", "--codes", "P0301"])
            var settings = Bench.Settings(adapter: car.address, allow: ["raw_request", "read_codes"])
            settings.commands = ["raw_writing = true"]
            let agent = try bench.start(settings)
            defer { agent.signal() }
            _ = try await bench.first("parameters/engine_speed", of: vin) { $0.json["value"] == 0 }
            let cleared = try await Self.ask("w-2", #"{"requests": ["04", "03"]}"#, bench)
            #expect(cleared["state"] == "succeeded")
            let requests = cleared["result"]["requests"].elements
            #expect(requests.first?["answers"]["7E8"] == ["messages": ["44"]])
            #expect(requests.last?["answers"]["7E8"] == ["messages": ["4300"]])
            let kept = try await bench.first("events", of: vin) { $0.json["event"] == "before_clear" }
            #expect(kept.json["command_id"] == "w-2")
            #expect(kept.json["codes"]["codes"].elements.map { $0["code"] } == ["P0301"])
        }
    }
}
