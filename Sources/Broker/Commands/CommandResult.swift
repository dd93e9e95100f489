// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// How a command that was obeyed ended.
package struct CommandResult: Hashable, Sendable {
    package var state: CommandResponse.State
    package var reason: CommandResponse.Reason?
    /// What went wrong, in a sentence.
    package var message: String?
    package var result: JSON?
}
