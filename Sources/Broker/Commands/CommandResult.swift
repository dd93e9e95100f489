// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// The outcome of a command.
package struct CommandResult: Hashable, Sendable {
    package var state: CommandResponse.State
    package var reason: CommandResponse.Reason?
    /// The error in a sentence; nil for a success.
    package var message: String?
    package var result: JSON?
}
