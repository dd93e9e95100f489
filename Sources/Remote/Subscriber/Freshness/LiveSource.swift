// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The source of a viewer's messages.
package enum LiveSource: Hashable, Sendable {
    /// The agent of this machine, over its socket.
    ///
    /// Such a viewer also gets the path `broker`: the agent's own connection to its broker.
    case agent
    /// A broker, with its host for people.
    case broker(String)
}
