// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport

/// The program `obd-remote` as a user runs it.
struct RemoteProgram: Sendable {
    /// The output and the exit status of a run; `notes` is the standard error.
    struct Run: Sendable {
        var output: [String]
        var notes: [String]
        var status: ChildProcess.ExitStatus
    }

    /// The options after the subcommand.
    var options: [String]

    init(_ broker: Broker, vehicle: String? = nil) {
        self.options = ["--broker", "mqtt://127.0.0.1:\(broker.port)"] + (vehicle.map { ["--vehicle", $0] } ?? [])
    }

    init(options: [String]) {
        self.options = options
    }

    /// Starts the program without the variables of the environment that name a broker.
    func start(_ subcommand: String, _ arguments: [String] = []) throws -> ChildProcess {
        let environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("OBD_AGENT_") }
        return try ChildProcess(
            Program(builtHere: "obd-remote"),
            [subcommand] + self.options + arguments,
            environment: environment
        )
    }

    /// Runs the program to its end.
    @discardableResult
    func run(_ subcommand: String, _ arguments: [String] = []) async throws -> Run {
        let child = try self.start(subcommand, arguments)
        return try await Self.end(of: child, subcommand)
    }

    /// Waits for the end of a started program.
    static func end(of child: ChildProcess, _ name: String) async throws -> Run {
        try await within("obd-remote \(name)", limit: .seconds(120)) {
            async let notes = child.errors.reduce(into: [String]()) { $0.append($1) }
            let output = await child.output.reduce(into: [String]()) { $0.append($1) }
            return Run(output: output, notes: await notes, status: try await child.exitStatus())
        }
    }
}
