// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// A fact about where an agent is, and whether it can take a command.
package enum AgentPresence: Hashable, Sendable {
    /// The agent of this vehicle's topics is connected to the broker, or not.
    case availability(String, isOnline: Bool)
    /// The identity of the agent of this vehicle's topics, which it had at a time.
    case agent(String, agent: String, since: Timestamp)
    /// The topics of this vehicle were emptied.
    case gone(String)
}
