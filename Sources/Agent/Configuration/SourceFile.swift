// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The name and the bytes of a configuration file, or of a file with a set of custom parameters.
package struct SourceFile: Equatable, Sendable {
    /// The name that errors show.
    package let name: String
    package let bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }
}
