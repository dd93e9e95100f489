// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// A driving vehicle of `obd-simulator`.
final class SimulatedCar: Sendable {
    private let process: ChildProcess
    /// The address of the adapter for an agent: `tcp:…` or `serial:…`.
    let address: String

    /// - Parameter arguments: further arguments of `obd-simulator`.
    init(_ arguments: [String] = [], onTerminal: Bool = false) async throws {
        let place = onTerminal ? ["--pty"] : ["--tcp", "127.0.0.1:0"]
        self.process = try ChildProcess(try Program(builtHere: "obd-simulator"), place + arguments)
        let line = try await self.process.output.next("the simulated vehicle") { $0.hasPrefix("Adapter") }
        self.address = String(line.dropFirst("Adapter".count).drop { $0 == " " })
    }

    /// The port of a car on TCP.
    var port: UInt16 { self.address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }
}

/// A vehicle of ELM327-emulator, an independent program.
final class EmulatedCar: Sendable {
    private let process: ChildProcess
    let address: String

    init(scenario: String = "car", codes: String = "", isStanding: Bool = false, onTerminal: Bool = false) async throws
    {
        let place = onTerminal ? [] : ["--port", "\(try Loopback.freePort())"]
        let state = ["--scenario", scenario, "--codes", codes] + (isStanding ? ["--standing"] : [])
        self.process = try PythonTools().start("emulated_car", place + state)
        let line = try await self.process.output.next("ELM327-emulator") { $0.hasPrefix("ADAPTER ") }
        self.address = String(line.dropFirst("ADAPTER ".count))
    }

    /// Stops the emulator, and returns the lines of its log with the replies that it has written.
    func stop() async -> [String] {
        self.process.signal()
        var written: [String] = []
        for await line in self.process.output where line.hasPrefix("Write: ") { written.append(line) }
        return written
    }
}
