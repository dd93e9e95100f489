// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A failure that keeps the simulator from serving its adapters.
package enum SimulatorError: Error, Equatable, Sendable {
    /// The address is outside 127.0.0.0/8. Simulated data must not leave this machine.
    case notLoopback(String)
    /// A system call failed with this `errno`.
    case system(call: String, code: Int32)
    /// BlueZ cannot offer the peripheral, for the reason that its error message has.
    case bluetooth(String)
}

extension SimulatorError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notLoopback(let host): "\(host) is not a loopback address. Try: 127.0.0.1"
        case .bluetooth(let reason): "The Bluetooth adapter cannot be simulated: \(reason)"
        case .system(let call, let code): unsafe "\(call) failed: \(String(cString: strerror(code)))"
        }
    }
}
