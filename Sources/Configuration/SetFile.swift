// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The name and the bytes of a file with settings or with a set of custom parameters.
package struct SetFile: Equatable, Sendable {
    /// The name that errors show.
    package let file: String
    package let bytes: [UInt8]

    package init(file: String, bytes: [UInt8]) {
        self.file = file
        self.bytes = bytes
    }
}
