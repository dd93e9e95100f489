// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// An error of a D-Bus connection or call.
package enum BusError: Error, Hashable, Sendable {
    /// The connection to the bus failed, for this reason.
    case cannotConnect(String)
    /// The connection to the bus was lost.
    case disconnected
    /// The peer answered with an error: its name, such as `org.bluez.Error.Failed`, and its message.
    case refused(name: String, message: String)
    /// The answer did not arrive in time.
    case timedOut
    /// The task was cancelled.
    case cancelled
    /// A message could not be built, for example because of an invalid path or name.
    case invalid(String)
}

extension BusError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cannotConnect(let reason): "cannot connect to D-Bus: \(reason)"
        case .disconnected: "the connection to D-Bus was lost"
        case .refused(let name, let message): message.isEmpty ? name : "\(message) (\(name))"
        case .timedOut: "the D-Bus call timed out"
        case .cancelled: "the D-Bus call was cancelled"
        case .invalid(let reason): "the D-Bus message is not valid: \(reason)"
        }
    }
}
