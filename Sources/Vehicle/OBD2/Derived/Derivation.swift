// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The values that one way to compute a derived parameter needs.
///
/// Each is named as a value, as a derived parameter, or by a role that any value may have.
package struct SourceSet: Hashable, Sendable {
    /// The values that are polled as often as the parameter is computed.
    package var names: [String]
    /// The values that hardly change, so that they are polled once a minute at most.
    package var slowNames: [String]

    package init(_ names: [String], slow slowNames: [String] = []) {
        self.names = names
        self.slowNames = slowNames
    }

    /// All names.
    package var allNames: [String] { self.names + self.slowNames }
}

/// The way to compute a derived parameter that the connected vehicle supports.
package struct Derivation: Hashable, Sendable {
    /// The index of the way.
    package var way: Int
    /// The name of the value that each name of the formula stands for: the same name, or that of a value with the role.
    package var values: [String: String]
    /// The interval at which the parameter is computed; nil if nothing needs it now.
    package var interval: Duration?

    package init(way: Int, values: [String: String], interval: Duration? = nil) {
        self.way = way
        self.values = values
        self.interval = interval
    }
}
