// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import FoundationEssentials
import Glibc
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"

@Suite("docs/tasks/use-obd-remote.md")
struct RemoteDocumentTests {
    @Test("The session in the document is what happens, over TLS, with a real agent")
    func session() async throws {
        let certificates = try await Certificates()
        try await Bench.run(Broker.Options(certificates: certificates)) { bench in
            let page = "\(PythonTools.packageRoot)/docs/tasks/use-obd-remote.md"
            let session = ConsoleSession(markdown: try #require(TextFile.read(page)))
            let folder = bench.directory.path
            let authority = try #require(TextFile.bytes(of: certificates.caFile, limit: 1 << 16))
            try bench.directory.write(authority, to: "ca.pem")
            let place = "localhost:\(bench.broker.tlsPort)"
            let environment = try Self.environment()
            let start = try #require(session.steps.firstIndex { $0.command.contains("remote list") })
            let offline = try #require(session.steps.firstIndex { $0.label == "offline" })
            // Each part has a shell of its own, which first gets the variables of the earlier parts.
            let settings = session.steps.map(\.command).filter { $0.hasPrefix("export ") }
            func run(_ range: Range<Int>) async throws {
                let steps = session.steps[range]
                let commands = (range.lowerBound == 0 ? [] : settings) + steps.map(\.command)
                let outputs = try await ConsoleSession.run(
                    commands.map { $0.replacing("broker.example:8883", with: place) },
                    in: folder,
                    environment: environment
                )
                try #require(outputs.count == commands.count, "\(outputs)")
                for (step, output) in zip(steps, outputs.suffix(steps.count)) {
                    let isExpected = ConsoleSession.matches(output[...], step.expected[...])
                    #expect(isExpected, "$ \(step.command)\n\(output.joined(separator: "\n"))")
                }
            }

            try await run(0..<start)
            let car = try await SimulatedCar([
                "--trip", "1", "--pause", "3600", "--codes", "P0301,P0420", "--permanent", "P0420",
            ])
            let configuration = try #require(session.configurations.first)
                .replacing("broker.example:8883", with: place)
                .replacing("\"ble\"", with: "\"\(car.address)\"")
                .replacing("/etc/obd-agent/", with: "\(folder)/")
            let more = "[clock]\ntrust = \"system\"\n[store]\ndirectory = \"\(folder)/store\"\n"
            try #require(unsafe mkdir("\(folder)/store", 0o700) == 0)
            let file = try bench.directory.write(configuration + more, to: "agent.toml")
            let agent = try ChildProcess(Program(builtHere: "obd-agent"), ["run", "--config", file])
            defer { agent.signal(SIGKILL) }
            _ = try await bench.first("codes", of: vin) { $0.json["codes"].elements.count == 2 }
            // Right after the start, only replies of ECUs prove that the ignition is on.
            _ = try await bench.first("status", of: vin) {
                $0.json["ignition"] == "on" && $0.json["ignition_evidence"].elements.first == "engine_speed"
            }

            try await run(start..<offline)
            agent.signal()
            #expect(try await agent.exitStatus() == .exited(0))
            try await run(offline..<session.steps.count)
        }
    }

    /// Returns the environment of the commands: the path of the programs, and no variable that names another broker.
    private static func environment() throws -> [String: String] {
        let program = try Program(builtHere: "obd-agent").path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return ["PATH": "\(program.dropLast("/obd-agent".count)):\(path)", "LC_ALL": "C"]
    }
}
