// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import EventLoop
import TestSupport
import Testing

@Suite("Certificates and passwords are renewed while the agent runs")
struct RenewalTests {
    /// The agent's adapter, and its own copies of the files, which are replaced atomically.
    private struct Files {
        let directory: TemporaryDirectory
        let car: SimulatedCar

        func put(_ file: String, as name: String) throws {
            let content = try #require(TextFile.read(file))
            TextFile.move(try self.directory.write(content + "\n", to: "\(name).new"), to: self.path(name))
        }

        func put(_ client: (certificateFile: String, keyFile: String)) throws {
            try self.put(client.certificateFile, as: "agent.pem")
            try self.put(client.keyFile, as: "agent.key")
        }

        func path(_ name: String) -> String { "\(self.directory.path)/\(name)" }
    }

    @Test("An expired certificate keeps it out; with a new one it comes in by itself")
    func expired() async throws {
        let fleet = try await Fleet()
        try await Self.run(fleet) { bench, files in
            try files.put(try await fleet.certificates.client("van-12", isExpired: true))
            let agent = try Self.start(bench, files)
            defer { agent.signal() }
            _ = try await agent.errors.next("the refusal") { $0.contains("No broker") }
            try files.put(try await fleet.certificates.client("van-12"))
            _ = try await bench.first("telemetry", of: "van-12")
            #expect(agent.isRunning)
        }
    }

    @Test("SIGHUP makes it use a new certificate at once, and the broker need not go for that")
    func hangup() async throws {
        let fleet = try await Fleet()
        try await Self.run(fleet) { bench, files in
            // With this certificate the agent may connect, but it may not publish for this vehicle.
            try files.put(try await fleet.certificates.client("van-11"))
            let agent = try Self.start(bench, files)
            defer { agent.signal() }
            _ = try await agent.errors.next("the rejection") { $0.contains("rejects") }
            #expect(await bench.observer.messages.isEmpty)
            try files.put(try await fleet.certificates.client("van-12"))
            agent.signal(1)
            _ = try await bench.first("availability", of: "van-12") { $0.text == "online" }
            _ = try await bench.first("status", of: "van-12") { $0.json["link"] == "connected" }
            let response = try await bench.perform(CommandText(id: "after", command: "describe"), on: "van-12")
            #expect(response["state"] == "succeeded")
        }
    }

    @Test("A broker that comes back with the certificate of a new authority is trusted once the agent knows that one")
    func newAuthority() async throws {
        let fleet = try await Fleet()
        try await Self.run(fleet) { bench, files in
            try files.put(try await fleet.certificates.client("van-12"))
            let agent = try Self.start(bench, files)
            defer { agent.signal() }
            let before = try await bench.first("telemetry", of: "van-12")
            let count = await bench.observer.count
            try await bench.broker.stop()
            try await fleet.certificates.renew()
            try await bench.broker.restart()
            _ = try await agent.errors.next("the mistrust") { $0.contains("No broker: no secure connection") }
            try files.put(fleet.certificates.caFile, as: "ca.pem")
            try files.put(try await fleet.certificates.client("van-12"))
            let after = try await bench.first("telemetry", of: "van-12", after: count)
            // It is still the same process.
            #expect(after.json["epoch"] == before.json["epoch"])
        }
    }

    private static func run(_ fleet: Fleet, _ body: @Sendable (Bench, Files) async throws -> Void) async throws {
        try await Bench.run(
            fleet.options,
            credentials: fleet.credentials(of: Fleet.dashboard),
            sender: fleet.credentials(of: Fleet.specialist)
        ) { bench in
            let files = Files(directory: try TemporaryDirectory(), car: try await SimulatedCar())
            try files.put(fleet.certificates.caFile, as: "ca.pem")
            try await body(bench, files)
        }
    }

    private static func start(_ bench: Bench, _ files: Files) throws -> ChildProcess {
        try bench.start(
            .init(
                adapter: files.car.address,
                vehicle: "van-12",
                mqtt: [
                    "url = \"mqtts://localhost:\(bench.broker.tlsPort)\"", "ca_file = \"\(files.path("ca.pem"))\"",
                    "certificate_file = \"\(files.path("agent.pem"))\"", "key_file = \"\(files.path("agent.key"))\"",
                ]
            )
        )
    }
}
