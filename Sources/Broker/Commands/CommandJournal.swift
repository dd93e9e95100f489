// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Contract
package import Base

/// The commands that were obeyed, so that none is obeyed twice: brokers deliver QoS 1 more than once, and a process
/// may be killed in the middle of a command.
///
/// It may forget what is old: a command can't come back after that, since it has expired.
package protocol CommandJournal: Sendable {
    /// The last response to a command; nil where there was none.
    ///
    /// - Parameter key: ``CommandResponse/journalKey``.
    /// - Throws: where nobody can tell.
    func response(to key: String) async throws(JournalUnreadable) -> CommandResponse?

    /// A command for the vehicle of this name was answered so; what is told to anybody after this must not outlive it.
    ///
    /// - Parameters:
    ///   - message: the command's.
    ///   - date: until when it must not be forgotten; nil where it does no harm when it is obeyed again.
    func remember(_ response: CommandResponse, to message: Message, vehicle: String, until date: Timestamp?) async

    /// Returns what the journal can answer for at present.
    func reach() async -> JournalReach
}

/// What a journal can answer for.
package struct JournalReach: Hashable, Sendable {
    /// It knows nothing of what was obeyed before; nil: it has always been there.
    package var begins: Timestamp?
    /// Whether there is room for one more that must not be forgotten.
    package var hasRoom: Bool
    /// The latest date that has certainly passed, by which the journal forgets; nil until there is one.
    package var latest: Timestamp?

    package init(begins: Timestamp?, hasRoom: Bool, latest: Timestamp? = nil) {
        (self.begins, self.hasRoom, self.latest) = (begins, hasRoom, latest)
    }
}

/// The journal is there and can't be read.
package struct JournalUnreadable: Error, Hashable, Sendable {
    package let reason: String

    package init(reason: String) { self.reason = reason }
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
