// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Glibc
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("Captures on the command line")
struct CaptureCommandTests {
    /// Runs `body` beside an agent that captures, once it reads its vehicle.
    private static func withAgent(
        _ body: @escaping @Sendable (_ bench: Bench, _ remote: RemoteProgram) async throws -> Void
    ) async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar()
            let agent = try bench.start(
                .init(adapter: car.address, allow: ["capture", "resend"], parameters: ["engine_speed = 0.5"])
            )
            defer { agent.signal() }
            _ = try await bench.first("parameters/engine_speed", of: vin)
            try await body(bench, RemoteProgram(bench.broker, vehicle: vin))
        }
    }

    /// Runs obd-agent to its end, whatever its exit status.
    private static func agent(_ arguments: [String]) async throws -> RemoteProgram.Run {
        try await RemoteProgram.end(of: ChildProcess(Program(builtHere: "obd-agent"), arguments), arguments[0])
    }

    @Test("A command that is refused because another capture runs ends at once, with the exit status of a refusal")
    func refused() async throws {
        try await Self.withAgent { _, remote in
            #expect(try await remote.run("capture", ["--after", "60"]).status == .exited(0))
            // Without an end of its own, the program would wait for the five minutes that the command is valid.
            let second = try await remote.run("capture", ["--after", "5"])
            #expect(second.status == .exited(2), "\(second.notes)")
            #expect(second.notes.contains { $0.contains("Another capture runs") && $0.contains("no_room") })
        }
    }

    @Test("A rule of a command is checked as one of the configuration, and told how long it counts")
    func rules() async throws {
        try await Self.withAgent { _, remote in
            func set(_ name: String, _ condition: String) async throws -> RemoteProgram.Run {
                try await remote.run("capture", ["--rule", name, "--when", condition, "--for", "1h"])
            }
            let rule = try await set("fast", "engine_speed > 6000")
            #expect(rule.status == .exited(0) && rule.output == ["The rule fast is active for 1h"])
            for (name, condition, words) in [
                ("fast", "engine_sped > 3", "did you mean engine_speed?"),
                ("fast", "engine_speed > coolant_temperature", "differ"),
                ("fast", "timing_advance < 5", "timing_advance is not read now"),
                ("code", "engine_speed > 6000", "has this name"),
            ] {
                let run = try await set(name, condition)
                #expect(run.status == .exited(2) && run.notes.contains { $0.contains(words) }, "\(run.notes)")
            }
        }
    }

    @Test("A capture in a file is confirmed; options of a file need the number of a capture")
    func file() async throws {
        try await Self.withAgent { bench, remote in
            #expect(try await remote.run("capture", ["--after", "0"]).status == .exited(0))
            _ = try await bench.first("events", of: vin) { $0.json["event"] == "capture" }
            let list = ["captures", "--config", "\(bench.directory.path)/agent.toml"]
            let file = "\(bench.directory.path)/capture.csv"
            let run = try await Self.agent(list + ["1", "--output", file])
            #expect(run.status == .exited(0) && run.output.isEmpty)
            #expect(run.notes.contains { $0.contains("capture 1 of \(vin) in \(file)") }, "\(run.notes)")
            for option in [["--format", "csv"], ["--layout", "long"], ["--output", file]] {
                let run = try await Self.agent(list + option)
                #expect(run.status == .exited(64) && run.output.isEmpty)
                #expect(run.notes.contains { $0.contains("\(option[0]) needs the number of a capture") })
            }
        }
    }

    @Test("A capture that came before is sent again and shown once, whoever asks a second time")
    func earlier() async throws {
        try await Self.withAgent { bench, remote in
            #expect(try await remote.run("capture", ["--after", "0"]).status == .exited(0))
            _ = try await bench.first("events", of: vin) { $0.json["event"] == "capture" }
            for _ in 0..<2 {
                let waiting = try remote.start("captures", ["--earlier"])
                try await within("the earlier capture", limit: .seconds(60)) {
                    var lines = waiting.output.makeAsyncIterator()
                    let line = await lines.next(isolation: #isolation) ?? ""
                    #expect(line.hasPrefix("1 ") && line.contains("command"))
                    waiting.signal(SIGINT)
                    let status = try await waiting.exitStatus()
                    #expect(status == .exited(0))
                }
            }
        }
    }
}
