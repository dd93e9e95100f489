// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Why the simulator cannot serve.
package enum SimulatorError: Error, Equatable, Sendable {
    /// The address is not this machine's own (127.0.0.0/8): an invented vehicle is for nobody else.
    case notLoopback(String)
    /// The system refused a call, with this `errno`.
    case system(call: String, code: Int32)
    /// BlueZ can't play the adapter: its words.
    case bluetooth(String)
}

extension SimulatorError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notLoopback(let host): "\(host) is not a loopback address such as 127.0.0.1"
        case .bluetooth(let reason): "cannot play a Bluetooth adapter: \(reason)"
        case .system(let call, let code): unsafe "\(call): \(String(cString: strerror(code)))"
        }
    }
}
