// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import TestSupport
import Testing

private let vin = "ZZZSMVLATR4700893"
private let other = "ZZZSMVLATR4700894"

@Suite("A vehicle is forgotten on the machine and on the broker")
struct ForgetTests {
    private static func run(_ arguments: [String]) async throws -> (lines: [String], status: ChildProcess.ExitStatus) {
        let child = try ChildProcess(Program(builtHere: "obd-agent"), ["forget"] + arguments)
        return try await within("obd-agent forget") {
            async let notes = child.errors.reduce(into: [String]()) { $0.append($1) }
            let output = await child.output.reduce(into: [String]()) { $0.append($1) }
            return (await notes + output, try await child.exitStatus())
        }
    }

    private static func finding(_ id: String, _ text: String) -> CommandText {
        CommandText(
            id: id,
            command: "record_finding",
            arguments: #"{"text": "\#(text)", "codes": [], "severity": "attention"}"#
        )
    }

    private static func holdings(in folder: String) async throws -> [JSON] {
        let lines = try await Program(builtHere: "obd-agent").run(["vehicles", "--json", "--directory", folder])
        return JSON(parsing: Array(lines.joined(separator: "\n").utf8)).elements
    }

    /// Returns the topics with a retained message.
    private static func retained(_ bench: Bench) async throws -> [String] {
        let process = try ChildProcess(
            try Program("mosquitto_sub", debianPackage: "mosquitto-clients"),
            bench.publisher.connection + ["--retain-as-published", "-t", "#", "-F", "%r %t"]
        )
        defer { process.signal() }
        return try await within("what is retained") {
            var topics: [String] = []
            for await line in process.output {
                // A message that is published after the subscription is granted follows the retained messages.
                if topics.isEmpty { try await bench.publisher.publish("now", to: Observer.ownTopic) }
                if line.hasPrefix("0 ") { break }
                topics.append(String(line.dropFirst(2)))
            }
            return topics.sorted()
        }
    }

    /// Runs an agent with a vehicle named golf, and then with another vehicle, until its end.
    private static func drive(_ bench: Bench, whileRunning body: () async throws -> Void) async throws {
        let car = try await SimulatedCar()
        let second = try await SimulatedCar(["--vin", other, "--seed", "2"])
        let relay = try Relay(to: car.port)
        let adapter = "tcp:127.0.0.1:\(relay.port)"
        var settings = Bench.Settings(adapter: adapter, vehicle: "golf", allow: ["record_finding"])
        settings.homeAssistant = ["enabled = true"]
        let agent = try bench.start(settings, environment: ["RUNTIME_DIRECTORY": bench.directory.path])
        defer { agent.signal() }
        for (id, text, vehicle, vin) in [("f-1", "Coil one.", "golf", vin), ("f-2", "Coil two.", other, other)] {
            _ = try await bench.first("vehicle", of: vehicle)
            try await bench.perform(Self.finding(id, text), on: vehicle)
            _ = try await bench.first("finding", of: vehicle)
            _ = try await bench.observer.first("the device") { $0.topic == "homeassistant/device/\(vin)/config" }
            relay.retarget(to: second.port)
            if vehicle == "golf" { relay.drop() }
        }
        try await body()
        agent.signal()
        #expect(try await agent.exitStatus() == .exited(0))
    }

    @Test("Nothing of it is left in the files or retained, and everything of the other vehicle is")
    func forgotten() async throws {
        try await Bench.run(weight: 2) { bench in
            let folder = bench.directory.path
            let arguments = ["golf", "--config", "\(folder)/agent.toml", "--directory", folder]
            try await Self.drive(bench) {
                let (lines, status) = try await Self.run(arguments + ["--yes"])
                #expect(status == .exited(69) && lines.contains { $0.contains("systemctl stop obd-agent") })
            }
            let files = ["obd-agent.db", "obd-agent.db-wal", "obd-agent.adapter", "transcript.0", "status.json"]
            let text = {
                files.compactMap { TextFile.bytes(of: "\(folder)/\($0)", limit: 1 << 26) }
                    .map { String(decoding: $0, as: UTF8.self) }.joined()
            }
            let traces = ["golf", vin, "Coil one."]
            let before = text()
            #expect(traces.allSatisfy { before.contains($0) })
            let topics = try await Self.retained(bench).filter { $0.contains(other) }
            let holdings = try await Self.holdings(in: folder)

            let dry = try await Self.run(arguments + ["--dry-run"])
            #expect(dry.status == .exited(0), "\(dry.lines)")
            // The bytes may differ, because the last process that opens a database empties its write-ahead log.
            #expect(try await Self.holdings(in: folder) == holdings)
            let unchanged = text()
            #expect(traces.allSatisfy { unchanged.contains($0) })
            #expect(dry.lines.contains { $0.hasPrefix("Vehicle   \(vin), golf, v-") })

            let (lines, status) = try await Self.run(arguments + ["--yes"])
            #expect(status == .exited(0), "\(lines)")
            let after = text()
            #expect(traces.allSatisfy { !after.contains($0) } && after.contains("Coil two."))
            let left = try await Self.retained(bench)
            #expect(left.allSatisfy { !$0.contains("golf") && !$0.contains(vin) })
            #expect(left.filter { $0.contains(other) } == topics)
            #expect(["vehicle", "finding"].allSatisfy { topics.contains("obd/\(other)/\($0)") })
            let rest = try await Self.holdings(in: folder)
            #expect(rest == [try #require(holdings.last)] && rest.first?["findings"] == 1)
            let again = try await Self.run(arguments + ["--yes"])
            #expect(again.status == .exited(66) && again.lines.contains { $0.contains("is unknown") })
        }
    }
}
