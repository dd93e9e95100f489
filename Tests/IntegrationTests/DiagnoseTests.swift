// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import Glibc
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("A bug report")
struct DiagnoseTests {
    @Test("What an agent has left is put into one file without secrets, and means the same when it is replayed")
    func report() async throws {
        try await Bench.run { bench in
            let car = try await SimulatedCar(["--codes", "P0301", "--trip", "1", "--pause", "3600"])
            let folder = bench.directory.path
            let agent = try bench.start(
                .init(
                    adapter: car.address,
                    mqtt: ["url = \"mqtt://127.0.0.1:\(bench.broker.port)\"", "#password = \"hunter2\""],
                    parameters: ["engine_speed = 0.5"]
                ),
                environment: ["RUNTIME_DIRECTORY": folder]
            )
            defer { agent.signal() }
            _ = try await bench.first("codes", of: vin) { $0.json["known"] == true }
            _ = try await bench.first("parameters/engine_speed", of: vin) { $0.json["value"] == 0 }
            agent.signal()
            #expect(try await agent.exitStatus() == .exited(0))

            let archive = "\(folder)/report.tar"
            let files = ["--config", "\(folder)/agent.toml", "--directory", folder, "--output", archive]
            let said = try await Program(builtHere: "obd-agent").run(["diagnose"] + files)
            for name in ["transcript.txt", "status.json", "agent.toml", "versions.txt"] {
                #expect(said.contains { $0.hasPrefix("added     \(name), ") }, "\(name)")
            }
            let text = try Self.text(of: archive)
            #expect(text.contains("#password = \"(left out)\"") && !text.contains("hunter2"))
            let meaning = try await Program(builtHere: "obd-agent").run(["replay", archive])
            #expect(meaning.contains { $0.hasSuffix("stored codes P0301 from 7E8") })
            #expect(meaning.contains { $0.contains(vin) } && meaning.contains { $0.contains("engine_speed 0") })

            // The redacted archive has no personal data, in whatever file and form they are.
            try Self.write(Self.names, to: "\(folder)/agent.toml.d")
            _ = try await Program(builtHere: "obd-agent").run(["diagnose"] + files)
            let named = try Self.text(of: archive)
            #expect(named.contains("agent.toml.d/10-names.toml") && named.contains("smiths-golf"))
            _ = try await Program(builtHere: "obd-agent").run(["diagnose", "--redact"] + files)
            let unnamed = try Self.text(of: archive)
            #expect(["smith", vin.lowercased(), "AA:BB:CC:DD:EE:0F"].allSatisfy { !unnamed.lowercased().contains($0) })
            #expect(unnamed.contains("password_file = \"[file ") && unnamed.contains("= \"[vehicle "))
            #expect(unnamed.contains("These remain, and may tell") && unnamed.contains("1 x [user 1]"))
            let redacted = try await Program(builtHere: "obd-agent").run(["replay", archive])
            #expect(redacted.count == meaning.count && !redacted.contains { $0.contains(vin) })
            #expect(redacted.filter { $0.contains("engine_speed") } == meaning.filter { $0.contains("engine_speed") })
        }
    }

    /// A configuration file with personal data, beside the main file.
    private static let names = """
        # The one of Mr Smith, AA:BB:CC:DD:EE:0F
        [mqtt]
        username = "smith"
        password_file = "/home/smith/password"
        [vehicle]
        identity = "alias"
        [vehicle.alias]
        \(vin) = "smiths-golf"

        """

    private static func write(_ text: String, to directory: String) throws {
        unsafe mkdir(directory, 0o700)
        #expect(TextFile.write(Array(text.utf8), to: "\(directory)/10-names.toml", how: .replacing))
    }

    private static func text(of file: String) throws -> String {
        String(decoding: try #require(TextFile.bytes(of: file, limit: 1 << 24)), as: UTF8.self)
    }
}
