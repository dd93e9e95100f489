// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// Decides which errors of a connection that is tried again for ever are logged: a new one at once, the same one rarely.
struct RepeatedError: Sendable {
    /// The time between two lines about the same error.
    static let interval = Duration.seconds(1800)
    /// The largest number of remembered errors; a connection that fails has few different ones.
    static let limit = 16
    /// The time of work after which an error is news.
    static let newsTime = Duration.seconds(60)

    private var logged: [String: MonotonicTime] = [:]
    /// The time from which the connection works; nil while it does not.
    private var worksSince: MonotonicTime?
    /// Whether the next success is to be logged.
    private var isSuccessNews: Bool

    /// - Parameter logsFirstSuccess: whether to log the first success, too, and not only each after a logged error.
    init(logsFirstSuccess: Bool = false) {
        self.isSuccessNews = logsFirstSuccess
    }

    /// The connection works.
    ///
    /// - Returns: whether to log that.
    mutating func worked(at now: MonotonicTime) -> Bool {
        self.worksSince = self.worksSince ?? now
        defer { self.isSuccessNews = false }
        return self.isSuccessNews
    }

    /// The connection has failed.
    ///
    /// - Returns: whether to log the error.
    mutating func failed(_ text: String, at now: MonotonicTime) -> Bool {
        if let start = self.worksSince, now - start >= Self.newsTime { self.logged = [:] }
        self.worksSince = nil
        guard self.isDue(text, at: now) else { return false }
        self.isSuccessNews = true
        return true
    }

    /// Returns whether to log an error with which the connection still works.
    mutating func isDue(_ text: String, at now: MonotonicTime) -> Bool {
        if let last = self.logged[text], now - last < Self.interval { return false }
        if self.logged.count >= Self.limit { self.logged = [:] }
        self.logged[text] = now
        return true
    }
}
