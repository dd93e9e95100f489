// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// Decides which errors of a connection that is tried again for ever are logged: a new one at once, the same one rarely.
struct RepeatedError: Sendable {
    /// The time between two lines about the same error.
    static let interval = Duration.seconds(1800)
    /// The largest number of remembered errors; a connection that fails has few different ones.
    static let limit = 16

    private var logged: [String: MonotonicTime] = [:]

    /// Returns whether an error is to be logged now.
    mutating func isDue(_ text: String, at now: MonotonicTime) -> Bool {
        if let last = self.logged[text], now - last < Self.interval { return false }
        if self.logged.count >= Self.limit { self.logged = [:] }
        self.logged[text] = now
        return true
    }

    /// The connection has worked for a time, so that the next error is a new one.
    mutating func over() { self.logged = [:] }
}
