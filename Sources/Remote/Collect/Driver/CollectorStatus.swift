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

    /// Whether the collector is connected to both ends.
    package var isConnected: Bool { self.broker.since != nil && self.database.since != nil }
}
