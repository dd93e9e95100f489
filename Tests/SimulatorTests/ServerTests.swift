// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import AdapterLink
import Base
import EventLoop
import TestSupport
import Testing

@testable import Simulator

@Suite("A server of simulated adapters", .timeLimit(.minutes(10)))
struct ServerTests {
    private static func serve(
        _ options: SimulatorServer.Options = SimulatorServer.Options(),
        _ body: @escaping @Sendable (SimulatorServer) async throws -> Void
    ) async throws {
        var options = options
        options.port = 0
        options.offersTerminal = true
        let server = try SimulatorServer(options)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            try await body(server)
            group.cancelAll()
        }
    }

    private static func connect(_ server: SimulatorServer) async throws -> any AdapterLink {
        let parts = server.address.split(separator: ":")
        let port = try #require(parts.last.flatMap { UInt16($0) })
        return try await TCPLink.open(host: String(parts[1]), port: port, until: BootClock().now + .seconds(120))
    }

    private static func ask(_ link: any AdapterLink, _ line: String) async throws -> String {
        try await link.write(Array("\(line)\r".utf8))
        var bytes: [UInt8] = []
        let deadline = BootClock().now + .seconds(120)
        while bytes.last != UInt8(ascii: ">"), case .bytes(let more) = try await link.read(until: deadline) {
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "An adapter with power keeps its settings for the next client, and another loses them",
        arguments: [true, false]
    )
    func power(keepsPower: Bool) async throws {
        var options = SimulatorServer.Options()
        options.keepsPower = keepsPower
        try await Self.serve(options) { server in
            let first = try await Self.connect(server)
            _ = try await Self.ask(first, "ATE0")
            first.close()
            let next = try await Self.connect(server)
            #expect(try await Self.ask(next, "ATI") == (keepsPower ? "" : "ATI\r") + "ELM327 v1.5\r\r>")
            next.close()
        }
    }

    @Test("Two clients get an adapter each, in one vehicle")
    func clients() async throws {
        try await Self.serve { server in
            let first = try await Self.connect(server)
            let second = try await Self.connect(server)
            #expect(try await Self.ask(first, "ATE0") == "ATE0\rOK\r\r>")
            #expect(try await Self.ask(second, "ATI") == "ATI\rELM327 v1.5\r\r>")
            #expect(try await Self.ask(first, "ATI") == "ELM327 v1.5\r\r>")
            #expect(try await Self.ask(first, "0902").contains("SEARCHING...\r014\r"))
            server.vehicle.withVehicle { $0.isParked = true }
            #expect(try await Self.ask(first, "0100") == "NO DATA\r\r>")
            first.close()
            second.close()
        }
    }

    @Test("Parameters of a ramp count each reply, and the log has each message before the client gets it")
    func ramp() async throws {
        let directory = try TemporaryDirectory()
        var options = SimulatorServer.Options()
        options.vehicle.ramp = Ramp(from: 0x12FE)
        options.log = "\(directory.path)/log"
        try await Self.serve(options) { server in
            let link = try await Self.connect(server)
            _ = try await Self.ask(link, "ATE0")
            #expect(try await Self.ask(link, "011F").contains("41 1F 12 FE"))
            #expect(try await Self.ask(link, "011F21").contains("41 1F 12 FF 21 12 FE"))
            #expect(try await Self.ask(link, "011F").contains("41 1F 13 00"))
            let log = try #require(TextFile.read("\(directory.path)/log"))
            let lines = log.split(separator: "\n").map { $0.split(separator: " ") }
            #expect(lines.map(\.last) == ["411f12fe", "411f12ff2112fe", "411f1300"])
            #expect(lines.allSatisfy { $0.count == 3 && $0[1] == "engine" })
            let times = lines.compactMap { Int64($0[0]) }
            #expect(times.count == 3 && times == times.sorted())
            link.close()
        }
    }

    @Test("A pseudo terminal serves one client after the other")
    func terminal() async throws {
        try await Self.serve { server in
            let path = try #require(server.terminal)
            for _ in 0..<2 {
                let link = try SerialLink.open(path: path, baud: 38400)
                #expect(try await Self.ask(link, "ATI") == "ATI\rELM327 v1.5\r\r>")
                link.close()
            }
        }
    }

    @Test("A client that disconnects during a request does not disturb the server")
    func vanish() async throws {
        try await Self.serve { server in
            for _ in 0..<20 {
                let link = try await Self.connect(server)
                try await link.write(Array("ATZ\r".utf8))
                link.close()
            }
            let link = try await Self.connect(server)
            #expect(try await Self.ask(link, "ATI") == "ATI\rELM327 v1.5\r\r>")
            link.close()
        }
    }

    @Test("Only loopback addresses are served", arguments: ["0.0.0.0", "192.168.0.10", "example.org", "::"])
    func loopback(host: String) {
        var options = SimulatorServer.Options()
        options.host = host
        options.port = 0
        #expect(throws: SimulatorError.notLoopback(host)) { try SimulatorServer(options) }
    }

    @Test("A port in use is an error")
    func taken() throws {
        var options = SimulatorServer.Options()
        options.port = 0
        let server = try SimulatorServer(options)
        let port: UInt16 = try #require(server.address.split(separator: ":").last.flatMap { UInt16($0) })
        options.port = port
        #expect(throws: SimulatorError.self) { try SimulatorServer(options) }
    }
}
