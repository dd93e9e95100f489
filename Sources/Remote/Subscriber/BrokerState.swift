// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// An agent's own connection to its broker, as a reader on its machine is told.
package enum BrokerState: Hashable, Sendable {
    case connected, notConnected
    /// The configuration names no broker.
    case notConfigured

    /// Reads the payload of `broker`; nil if it does not tell the state.
    init?(_ report: JSON) {
        guard let isConnected = report["connected"].bool else { return nil }
        self = isConnected ? .connected : report["server"].string == nil ? .notConfigured : .notConnected
    }

    /// The state in words.
    package var words: String {
        switch self {
        case .connected: "connected"
        case .notConnected: "not connected"
        case .notConfigured: "not configured"
        }
    }
}
