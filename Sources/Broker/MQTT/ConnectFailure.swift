// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The reason why no connection to a broker was opened.
package enum ConnectFailure: Hashable, Sendable {
    /// The host name does not resolve.
    case unknownHost
    /// The host refuses connections to the port.
    case refused
    /// The network has no route to the host.
    case unreachable
    /// The host does not answer before the timeout.
    case noAnswer
    /// The port is open, and no broker answers there before the timeout.
    case silentPort
    /// Another reason, in the words of the system.
    case other(String)

    /// - Parameter number: the error number of the system.
    init(systemError number: Int32) {
        self =
            switch number {
            case ECONNREFUSED: .refused
            case ENETUNREACH, EHOSTUNREACH: .unreachable
            case ETIMEDOUT: .noAnswer
            default: .other(unsafe String(cString: strerror(number)))
            }
    }
}

extension ConnectFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownHost: "the host name is unknown"
        case .refused: "connection refused"
        case .unreachable: "the host is unreachable"
        case .noAnswer: "no answer in time"
        case .silentPort: "the port is open, but no broker answers in time"
        case .other(let words): words
        }
    }
}
