// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import Contract

/// The commands that ran, with their last responses, so that no command runs twice.
///
/// A broker may deliver a message with QoS 1 more than once, and the process may be killed during a command. The
/// journal may forget expired commands, because they cannot run again.
package protocol CommandJournal: Sendable {
    /// Returns the last response to a command; nil if the command is unknown.
    ///
    /// - Parameter key: the ``CommandResponse/journalKey``.
    /// - Throws: ``JournalUnreadable`` if the command may be known.
    func response(to key: String) async throws(JournalUnreadable) -> CommandResponse?

    /// Persists the response to a command before the response is published.
    ///
    /// - Parameters:
    ///   - message: the message of the command.
    ///   - vehicle: the topic level of the vehicle.
    ///   - date: the date until which the journal must not forget the command; nil if the command may run again.
    func remember(_ response: CommandResponse, to message: Message, vehicle: String, until date: Timestamp?) async

    /// Returns the range of commands for which the journal is complete.
    func reach() async -> JournalReach
}

/// The range of commands for which a journal is complete.
package struct JournalReach: Hashable, Sendable {
    /// The oldest issue time for which the journal is complete; nil for all.
    package var begins: Timestamp?
    /// Whether the journal has room for another command that it must not forget.
    package var hasRoom: Bool
    /// The latest date that has certainly passed, by which the journal forgets commands; nil if none is known.
    package var latest: Timestamp?

    package init(begins: Timestamp?, hasRoom: Bool, latest: Timestamp? = nil) {
        (self.begins, self.hasRoom, self.latest) = (begins, hasRoom, latest)
    }
}

/// The error of a journal that exists but cannot be read.
package struct JournalUnreadable: Error, Hashable, Sendable {
    package let reason: String

    package init(reason: String) { self.reason = reason }
}

extension CommandResponse {
    /// The key of the command in the journal: its id and its signer, so that no signer uses up another signer's ids.
    package var journalKey: String? { self.id.map { Self.journalKey($0, self.issuer) } }

    /// Returns the key; the id has no blank, so it is what follows the last blank.
    static func journalKey(_ id: String, _ issuer: String?) -> String { issuer.map { "\($0) \(id)" } ?? id }
}

extension Command {
    /// The key of the command in the journal.
    var journalKey: String { CommandResponse.journalKey(self.id, self.signer?.issuer) }
}
