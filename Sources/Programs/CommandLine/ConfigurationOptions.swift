// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Base
package import Configuration
package import Drive
package import OBD2

/// The option that names the configuration file.
package struct ConfigurationOptions: ParsableArguments {
    package static let defaultPath = "/etc/obd-agent/agent.toml"

    @Option(name: .shortAndLong, help: "The configuration file.", completion: .file())
    package var config = Self.defaultPath

    package init() {}

    /// Returns the custom parameters of the configuration.
    ///
    /// If the file of the default path is missing or wrong, there are none.
    package func custom() throws -> [CustomParameter] { try self.part(or: [], \.custom) }

    /// Returns the derived parameters of the configuration, with those that are ready without it.
    ///
    /// If the file of the default path is missing or wrong, the ready ones.
    package func derived() throws -> [DerivedParameter] { try self.part(or: Self.ready, \.computed.derived) }

    /// Returns the units of the custom and the derived parameters, by their names.
    package func symbols() throws -> [String: String] {
        let fields = try self.part(or: Self.ready.map(\.field)) { configuration in
            configuration.custom.map(\.field) + configuration.computed.derived.map(\.field)
        }
        return Dictionary(fields.compactMap { field in field.symbol.map { (field.name, $0) } }) { first, _ in first }
    }

    /// Returns the folders and archives with signal sets that the configuration names.
    ///
    /// If the file of the default path is missing or wrong, the default one.
    package func catalog() throws -> [String] { try self.part(or: Configuration.defaultCatalog, \.catalog) }

    /// The derived parameters of an empty configuration.
    private static var ready: [DerivedParameter] { DerivedParameter.ready(EngineFacts()) }

    /// Returns a part of the configuration; `fallback` if the file of the default path is missing or wrong.
    private func part<Part>(or fallback: @autoclosure () -> Part, _ part: (Configuration) -> Part) throws -> Part {
        guard self.config == Self.defaultPath else { return part(try self.load()) }
        return (try? self.read()).map(part) ?? fallback()
    }

    /// Reads the configuration as it is now.
    package func read() throws(ConfigurationError) -> Configuration {
        try Configuration.load(path: self.config, host: .own)
    }

    /// Reads the configuration.
    ///
    /// A mistake in it ends the command.
    package func load() throws -> Configuration {
        do {
            return try self.read()
        } catch {
            throw CommandFailure(.configuration, lines: error.problems.map(\.description))
        }
    }
}
