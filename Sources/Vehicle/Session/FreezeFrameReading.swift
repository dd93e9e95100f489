// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

/// What is known of an ECU's freeze frame: "none" and "could not read" differ.
package enum FreezeFrameReading: Hashable, Sendable {
    /// The ECU says that it has none.
    case none
    /// What it stored together with this code.
    ///
    /// - `unread`: what the frame holds and could not be read.
    case stored(DTC, values: [FieldValue], unread: [PID])
    /// The ECU does not have service 02.
    case notSupported
    /// The ECU answered something that could not be read, or nothing where there must be something.
    case failed
}
