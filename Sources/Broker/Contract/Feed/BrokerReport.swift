// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The agent's own connection to its broker, which only readers of its feed can be told.
package struct BrokerReport: Encodable, Hashable, Sendable {
    /// The path of this payload in the feed; there is no such topic.
    package static let path = "broker"

    package var v = 1
    package var connected: Bool
    /// The broker's host and port: the present one, or the one that is dialed next; nil if none is configured.
    package var server: String?
    /// The reason why the agent is not connected, in a sentence; nil while it is, and before the first attempt has ended.
    package var problem: String?

    package init(connected: Bool, server: String?, problem: String? = nil) {
        self.connected = connected
        self.server = server
        self.problem = problem
    }
}
