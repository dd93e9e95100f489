// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The payloads of `availability`.
package enum Availability: String, Sendable {
    case online, offline

    /// The bare word, not JSON, so that Home Assistant and shell scripts can compare it directly.
    package var payload: [UInt8] { Array(self.rawValue.utf8) }
}
