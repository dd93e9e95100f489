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

    @Option(name: .shortAndLong, help: "The configuration file.")
    package var config = Self.defaultPath

    package init() {}

    /// Returns the custom parameters of the configuration.
    ///
    /// If the file of the default path is missing or wrong, there are none.
    package func custom() throws -> [CustomParameter] {
        guard self.config == Self.defaultPath else { return try self.load().custom }
        return (try? self.read().custom) ?? []
    }

    /// Returns the derived parameters of the configuration, with those that are ready without it.
    ///
    /// If the file of the default path is missing or wrong, the ready ones.
    package func derived() throws -> [DerivedParameter] {
        guard self.config == Self.defaultPath else { return try self.load().computed.derived }
        return (try? self.read().computed.derived) ?? DerivedParameter.ready(EngineFacts())
    }

    /// Returns the units of the custom and the derived parameters, by their names.
    package func symbols() throws -> [String: String] {
        let fields = try self.custom().map(\.field) + self.derived().map(\.field)
        return Dictionary(fields.compactMap { field in field.symbol.map { (field.name, $0) } }) { first, _ in first }
    }

    /// Returns the folders and archives with signal sets that the configuration names.
    ///
    /// If the file of the default path is missing or wrong, the default one.
    package func catalog() throws -> [String] {
        guard self.config == Self.defaultPath else { return try self.load().catalog }
        return (try? self.read().catalog) ?? Configuration.defaultCatalog
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
