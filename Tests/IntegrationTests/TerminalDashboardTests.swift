// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("A dashboard on a terminal of its own")
struct TerminalDashboardTests {
    private static func watch(
        _ name: String,
        keys: String,
        end: String,
        _ arguments: [String]
    ) async throws -> JSON {
        let program = try Program(builtHere: name).path
        let lines = try await PythonTools().run("watch_terminal", [keys, end, program] + arguments)
        return JSON(parsing: Array(lines.joined().utf8))
    }

    @Test("A vehicle is shown by remote watch, and the terminal is left as it was", arguments: ["q", "interrupt"])
    func remote(end: String) async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(["--codes", "P0301,P0420"])
            let agent = try bench.start(.init(adapter: car.address))
            defer { agent.signal() }
            _ = try await bench.first("parameters/vehicle_speed", of: vin)
            let url = "mqtt://127.0.0.1:\(bench.broker.port)"
            let seen = try await Self.watch("obd-remote", keys: "p", end: end, ["watch", "--broker", url])
            #expect(seen["code"] == 0 && seen["restored"] == true)
            let wide = seen["wide"].elements.compactMap(\.string)
            #expect(wide.first?.hasPrefix(vin) == true)
            #expect(wide.contains { $0.hasPrefix("Speed") && $0.contains("km/h") })
            #expect(wide.allSatisfy { $0.count <= 80 } && wide.count == 24)
            let small = seen["small"].elements.compactMap(\.string)
            #expect(small.allSatisfy { $0.count <= 40 } && small.count == 12)
            #expect(small.contains { $0.contains("[x] engine_load") }, "\(small)")
        }
    }

    @Test("The machine's own configuration is enough")
    func local() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar([])
            let agent = try bench.start(.init(adapter: car.address, vehicle: "van-12"))
            defer { agent.signal() }
            _ = try await bench.first("parameters/vehicle_speed", of: "van-12")
            let arguments = ["watch", "--config", "\(bench.directory.path)/agent.toml"]
            let seen = try await Self.watch("obd-agent", keys: " ", end: "q", arguments)
            #expect(seen["code"] == 0 && seen["restored"] == true)
            #expect(seen["wide"].elements.first?.string?.hasPrefix("van-12") == true)
            // Without a terminal the program prints lines.
            let lines = try await Program(builtHere: "obd-agent").run(arguments + ["--for", "2s"])
            #expect(lines.contains { $0.contains("vehicle_speed") } && !lines.joined().contains("\u{1B}"))
        }
    }
}
