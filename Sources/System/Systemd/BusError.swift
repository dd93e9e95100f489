// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Why something on D-Bus did not work.
package enum BusError: Error, Hashable, Sendable {
    /// The bus can't be reached: the address or the system's words.
    case cannotConnect(String)
    /// The connection to the bus is gone.
    case disconnected
    /// The other side answered with an error: its name, such as `org.bluez.Error.Failed`, and its words.
    case refused(name: String, message: String)
    /// No answer in time.
    case timedOut
    /// The task was cancelled.
    case cancelled
    /// A message could not be made: an invalid path or name; the system's words.
    case invalid(String)
}

extension BusError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cannotConnect(let reason): "cannot connect to D-Bus: \(reason)"
        case .disconnected: "the connection to D-Bus is gone"
        case .refused(let name, let message): message.isEmpty ? name : "\(message) (\(name))"
        case .timedOut: "no answer over D-Bus in time"
        case .cancelled: "cancelled"
        case .invalid(let reason): "not a D-Bus message: \(reason)"
        }
    }
}
