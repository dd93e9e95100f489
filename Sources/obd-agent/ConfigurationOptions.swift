// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Agent
import ArgumentParser
import Configuration
import Contract
import OBD2

/// Where the configuration is.
struct ConfigurationOptions: ParsableArguments {
    static let defaultPath = "/etc/obd-agent/agent.toml"

    @Option(name: .shortAndLong, help: "The configuration file.")
    var config = Self.defaultPath

    /// The custom parameters of the configuration; none where none can be read in the usual place.
    func custom() throws -> [CustomParameter] {
        guard self.config == Self.defaultPath else { return try self.load().custom }
        return (try? self.read().custom) ?? []
    }

    /// Reads it as it is now.
    func read() throws(ConfigurationError) -> Configuration {
        try Configuration.load(path: self.config, host: .own)
    }

    func load() throws -> Configuration {
        do {
            return try self.read()
        } catch {
            throw CommandFailure(.configuration, lines: error.problems.map(\.description))
        }
    }
}

/// An end with an exit code and a sentence about it.
struct CommandFailure: Error, CustomStringConvertible {
    let code: ExitStatus
    let description: String

    /// - Parameter next: what to do about it, on a line of its own.
    init(_ code: ExitStatus, _ description: String, next: String? = nil) {
        self.init(code, lines: [description] + (next.map { ["Try: \($0)"] } ?? []))
    }

    /// - Parameter lines: each stays one, whatever a stranger has put into it.
    init(_ code: ExitStatus, lines: [String]) {
        self.code = code
        self.description = lines.map { Printable.text($0) }.joined(separator: "\n")
    }
}
