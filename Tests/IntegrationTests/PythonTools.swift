// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport

/// The virtual environment with third-party packages: ELM327-emulator, python-OBD, jsonschema.
struct PythonTools {
    let python: Program
    private let folder: String

    /// - Throws: ``ToolsMissing`` if there is no virtual environment.
    init() throws {
        let environment = ProcessInfo.processInfo.environment["OBD_AGENT_VENV"] ?? "\(Self.packageRoot)/.build/venv"
        self.python = Program(path: "\(environment)/bin/python")
        self.folder = "\(Self.packageRoot)/Tests/IntegrationTests/Python"
        guard FileManager.default.isExecutableFile(atPath: self.python.path) else {
            throw ToolsMissing(path: self.python.path)
        }
    }

    static let packageRoot = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()

    /// Returns the path of a script of these tests.
    func script(_ name: String) -> String { "\(self.folder)/\(name).py" }

    /// Starts a script.
    ///
    /// - Parameter environment: variables that the script gets besides those of the test.
    func start(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(
            self.python,
            ["-u", self.script(name)] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }
        )
    }

    /// Runs a script to its end and returns what it prints.
    func run(_ name: String, _ arguments: [String]) async throws -> [String] {
        try await self.python.run([self.script(name)] + arguments)
    }
}

struct ToolsMissing: Error, CustomStringConvertible {
    let path: String
    var description: String { "\(self.path) is missing: run make test, which installs what the tests need" }
}
