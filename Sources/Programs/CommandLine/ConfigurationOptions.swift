// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import ArgumentParser
package import Configuration
package import OBD2

/// Where the configuration is.
package struct ConfigurationOptions: ParsableArguments {
    package static let defaultPath = "/etc/obd-agent/agent.toml"

    @Option(name: .shortAndLong, help: "The configuration file.")
    package var config = Self.defaultPath

    package init() {}

    /// The custom parameters of the configuration; none where none can be read in the usual place.
    package func custom() throws -> [CustomParameter] {
        guard self.config == Self.defaultPath else { return try self.load().custom }
        return (try? self.read().custom) ?? []
    }

    /// Reads it as it is now.
    package func read() throws(ConfigurationError) -> Configuration {
        try Configuration.load(path: self.config, host: .own)
    }

    package func load() throws -> Configuration {
        do {
            return try self.read()
        } catch {
            throw CommandFailure(.configuration, lines: error.problems.map(\.description))
        }
    }
}
