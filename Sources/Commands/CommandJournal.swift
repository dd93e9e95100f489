// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract

/// The commands that were obeyed, so that none is obeyed twice: brokers deliver QoS 1 more than once, and a process
/// may be killed in the middle of a command.
///
/// It may forget what is old: a command can't come back after that, since it has expired.
package protocol CommandJournal: Sendable {
    /// The last response to a command of this id; nil where there was none.
    func response(to id: String) async -> CommandResponse?

    /// A command for the vehicle of this name was answered so; what is told to anybody after this must not outlive it.
    func remember(_ response: CommandResponse, vehicle: String) async
}
