// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The state of a collector: its connections, and what it has written since its start.
package struct CollectorStatus: Hashable, Sendable {
    /// A connection to the broker or to the database.
    package struct Connection: Hashable, Sendable {
        /// The address for people, without a password.
        package var name: String
        /// The time of the connection; nil without one.
        package var since: Timestamp?
    }

    /// An error, and its time.
    package struct Failure: Hashable, Sendable {
        package var time: Timestamp
        package var message: String
    }

    package var clientID: String
    package var share: String?
    package var startedAt: Timestamp
    package var broker: Connection
    package var database: Connection

    /// The records and samples that were written since the start.
    package var total = WriteResult()
    /// The samples a second in the last minute.
    package var samplesPerSecond = 0.0
    package var lastCommit: Timestamp?

    /// The received messages that wait to be written.
    package var waiting = 0
    /// The age of the oldest message that waits; if none does, the time from receipt to commit of the last batch.
    package var lag = Duration.zero

    /// The records that are known to exist and have not arrived, and the streams that they belong to.
    package var missing: UInt64 = 0
    package var incompleteStreams = 0
    /// The requests for missing records.
    package var asked: UInt64 = 0

    /// The time of the last message of the broker; nil if none has come since the start.
    package var lastMessage: Timestamp?
    /// The times that another client with the same client id has ended the connection, and the last of them.
    package var rivals: UInt64 = 0
    package var lastRival: Timestamp?
    /// The connections for which the broker had not kept the session, although there was one.
    package var lostSessions: UInt64 = 0

    /// The agents that were heard on the topics of two vehicles in turn.
    package var sharedAgents = 0

    package var lastError: Failure?

    package init(clientID: String, share: String?, broker: String, database: String, at now: Timestamp) {
        self.clientID = clientID
        self.share = share
        self.startedAt = now
        self.broker = Connection(name: broker)
        self.database = Connection(name: database)
    }

    /// The records that their agents do not have any more, or that were given up.
    package var lost: UInt64 { self.total.lost &+ self.total.givenUp }

    /// Whether another client with the same client id hinders this one: after such an end it waits for minutes.
    package func hasRival(at now: Timestamp) -> Bool {
        guard let lastRival else { return false }
        return now - lastRival < .seconds(1200)
    }

    /// Whether the collector is connected to both ends.
    package var isConnected: Bool { self.broker.since != nil && self.database.since != nil }
}
