// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The limits of the waits on a server.
package struct PostgreSQLTimeouts: Hashable, Sendable {
    /// The longest time until a connection is usable, for each host; the lookup of a name comes on top.
    package var connect: Duration
    /// The longest time that a statement runs on the server, which ends it then (`statement_timeout`).
    package var statement: Duration
    /// The longest time that a statement waits for a lock (`lock_timeout`).
    package var lock: Duration
    /// The time after the end of ``statement`` within which the server's answer must have come.
    ///
    /// A server that hangs, or a network that swallows packets, ends every call within the sum of both.
    package var grace: Duration

    package init(
        connect: Duration = .seconds(10),
        statement: Duration = .seconds(30),
        lock: Duration = .seconds(10),
        grace: Duration = .seconds(5)
    ) {
        self.connect = connect
        self.statement = statement
        self.lock = lock
        self.grace = grace
    }
}
