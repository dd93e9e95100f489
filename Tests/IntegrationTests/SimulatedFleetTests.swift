// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

@Suite("A fleet in one process")
struct SimulatedFleetTests {
    private static let size = 20
    private static let first = 241

    @Test("Each vehicle is on the broker by itself, numbers its records without a gap, and says goodbye")
    func fleet() async throws {
        try await Bench.run { bench in
            let lines = [
                "[adapter]", "address = \"ble\"", "[mqtt]", "url = \"mqtt://127.0.0.1:\(bench.broker.port)\"",
                "[parameters]", "engine_speed = 2", "[uplink]", "batch_seconds = 1",
            ]
            let file = try bench.directory.write(lines.joined(separator: "\n") + "\n", to: "fleet.toml")
            let fleet = try ChildProcess(
                try Program(builtHere: "obd-simulator"),
                ["--fleet", "\(Self.size)", "--first", "\(Self.first)", "--config", file]
            )
            defer { fleet.signal() }
            let vehicles = (0..<Self.size).map { "ZZZSMVLATR4\(100_000 + Self.first + $0)" }
            for vehicle in vehicles {
                _ = try await bench.first("parameters/engine_speed", of: vehicle)
                for number in [1.0, 2.0] {
                    _ = try await bench.first("telemetry", of: vehicle) { ($0.json["seq"].double ?? 0) >= number }
                }
            }
            fleet.signal()
            #expect(try await fleet.exitStatus() == .exited(0))
            for vehicle in vehicles {
                _ = try await bench.first("availability", of: vehicle) { $0.text == "offline" }
            }
            let telemetry = await bench.observer.messages.filter { $0.topic.hasSuffix("/telemetry") }
            let agents = Dictionary(grouping: telemetry) { $0.json["agent"] }
            #expect(agents.count == Self.size)
            for (agent, records) in agents {
                let numbers = Set(records.compactMap { $0.json["seq"].double })
                #expect(numbers == Set((1...numbers.count).map(Double.init)), "\(agent)")
            }
        }
    }

    @Test(
        "Numbers of vehicles that can't be are refused before anything is read",
        arguments: [["0"], ["-3"], ["241"], ["1", "--first=0"], ["2", "--first=99999"]]
    )
    func impossible(words: [String]) async throws {
        let process = try ChildProcess(
            try Program(builtHere: "obd-simulator"),
            ["--fleet=\(words[0])", "--config", "/nowhere.toml"] + words.dropFirst()
        )
        #expect(try await process.exitStatus() == .exited(64))
    }
}
