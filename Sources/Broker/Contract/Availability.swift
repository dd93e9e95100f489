// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The payloads of `availability`.
package enum Availability: String, Sendable {
    case online, offline

    /// The text itself: no JSON, so that Home Assistant and shell scripts read it as it is.
    package var payload: [UInt8] { Array(self.rawValue.utf8) }
}
