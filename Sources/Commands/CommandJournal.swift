// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
package import Messages

/// The commands that were obeyed, so that none is obeyed twice: brokers deliver QoS 1 more than once, and a process
/// may be killed in the middle of a command.
///
/// It may forget what is old: a command can't come back after that, since it has expired.
package protocol CommandJournal: Sendable {
    /// The last response to a command; nil where there was none.
    ///
    /// - Parameter key: ``CommandResponse/journalKey``.
    func response(to key: String) async -> CommandResponse?

    /// A command for the vehicle of this name was answered so; what is told to anybody after this must not outlive it.
    ///
    /// - Parameter message: the command's.
    func remember(_ response: CommandResponse, to message: Message, vehicle: String) async
}

extension CommandResponse {
    /// What a command is known by: its id and who has signed it, so that nobody uses up an id of somebody else's.
    package var journalKey: String? { self.id.map { Self.journalKey($0, self.issuer) } }

    /// An id has no blank: what stands behind the last one is the id.
    static func journalKey(_ id: String, _ issuer: String?) -> String { issuer.map { "\($0) \(id)" } ?? id }
}

extension Command {
    /// What the journal knows it by.
    var journalKey: String { CommandResponse.journalKey(self.id, self.signer?.issuer) }
}
