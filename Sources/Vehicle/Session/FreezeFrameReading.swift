// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import OBD2

/// The result of reading an ECU's freeze frame: "none" and "could not read" differ.
package enum FreezeFrameReading: Hashable, Sendable {
    /// The ECU reports that it has no freeze frame.
    case none
    /// The values that the ECU stored together with a code.
    ///
    /// - `unread`: the PIDs in the frame that could not be read.
    case stored(DTC, values: [FieldValue], unread: [PID])
    /// The ECU does not have service 02.
    case notSupported
    /// The answer of the ECU could not be read, or the ECU did not answer although it must.
    case failed
}
