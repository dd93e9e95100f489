// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Glibc
import TestSupport
import Testing

@Suite("A vehicle is read once", .timeLimit(.minutes(3)))
struct ReadTests {
    private static func run(_ arguments: [String]) async throws -> [String] {
        try await Program(builtHere: "obd-agent").run(["read"] + arguments)
    }

    @Test("Only the named parameters are printed, also beside one that shows a charge")
    func named() async throws {
        let car = try await SimulatedCar(["--vehicle", "electric"])
        let directory = try TemporaryDirectory()
        let file = try directory.write(
            """
            [mqtt]
            url = "mqtts://broker.example"
            [custom.own]
            request = "220101"
            header = "7E4"
            formula = "E/2"
            [custom.charge]
            request = "220101"
            header = "7E4"
            formula = "A"
            role = "charging"
            """,
            to: "agent.toml"
        )
        let lines = try await Self.run(["own", "--config", file, "--adapter", car.address, "--json"])
        let json = JSON(payload: Array(lines.joined(separator: "\n").utf8))
        #expect(json["values"].elements.map { $0["parameter"] } == ["own"] && json["missing"] == [])
    }

    @Test("What no ECU reports is named, and is a failure if nothing else was read")
    func missing() async throws {
        let car = try await SimulatedCar(["--vehicle", "electric"])
        let error = await #expect(throws: ProgramFailed.self) {
            try await Self.run(["-p", "fuel_level", "--adapter", car.address])
        }
        let complaint = "\(try #require(error))"
        #expect(complaint.contains("exited(3)") && complaint.contains("no ECU reports fuel_level"))
    }

    @Test("SIGTERM and SIGINT end a command that waits for an adapter", arguments: [SIGTERM, SIGINT])
    func signal(number: Int32) async throws {
        var end = try await Self.end(by: number)
        // On a busy machine the signal may come so late that the command has given the adapter up.
        for _ in 1...5 where end.status == .exited(69) { end = try await Self.end(by: number) }
        #expect(end.status == .exited(128 + number), "\(end.complaint)")
    }

    /// Ends a command while it waits for a reply.
    private static func end(by number: Int32) async throws -> (status: ChildProcess.ExitStatus, complaint: [String]) {
        // The first bytes show that the command waits for a reply; the end shows that the adapter is free again.
        let (steps, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        let listener = try LoopbackListener()
        try listener.serveOne { peer in
            continuation.yield(!peer.read().isEmpty)
            while !peer.read().isEmpty {}
            continuation.finish()
        }
        let address = "tcp:127.0.0.1:\(listener.port)"
        let child = try ChildProcess(Program(builtHere: "obd-agent"), ["read", "--adapter", address])
        #expect(try await steps.next("a request"))
        child.signal(number)
        let status = try await within("the end of the command") { try await child.exitStatus() }
        var complaint: [String] = []
        for await line in child.errors { complaint.append(line) }
        try await within("the end of the connection") { for await _ in steps {} }
        return (status, complaint)
    }
}
