// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import CommandLine
import Base

/// Keeps a message that comes again and again from filling the journal: each kind has a burst, then one in a while.
struct LogLimiter {
    /// How many of a kind may come at once.
    static let burst = 20
    /// How often one of a kind may come after that.
    static let interval = Duration.seconds(60)
    /// How many kinds are told apart; what there is beyond shares one account.
    static let kinds = 100

    private var buckets: [String: TokenBucket] = [:]

    /// Whether a message may be written now, and how many of its kind were not before it.
    mutating func take(_ message: String, at now: MonotonicTime) -> Int? {
        // What stands before a colon or a number is the same each time.
        var kind = String(message.prefix(60).prefix { $0 != ":" && !$0.isNumber })
        if self.buckets[kind] == nil, self.buckets.count >= Self.kinds { kind = "" }
        return self.buckets[kind, default: TokenBucket(capacity: Self.burst, interval: Self.interval, at: now)]
            .take(at: now)
    }
}
