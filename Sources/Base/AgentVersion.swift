// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The version of this agent.
package enum AgentVersion {
    package static let current = "0.1.0"
}
