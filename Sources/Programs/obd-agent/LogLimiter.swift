// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import CommandLine

/// Limits repeated messages, which would fill the journal: a burst of each kind, then one per interval.
struct LogLimiter {
    /// The number of messages of a kind that are logged at once.
    static let burst = 20
    /// The interval between two messages of a kind after the burst.
    static let interval = Duration.seconds(60)
    /// The number of kinds that have a limit of their own, while all others share one.
    static let kinds = 100

    private var buckets: [String: TokenBucket] = [:]

    /// Returns the number of messages of this kind that were suppressed before this one; nil if this one is suppressed.
    mutating func take(_ message: String, at now: MonotonicTime) -> Int? {
        // The text before a colon or a number is the same in all messages of a kind.
        var kind = String(message.prefix(60).prefix { $0 != ":" && !$0.isNumber })
        if self.buckets[kind] == nil, self.buckets.count >= Self.kinds { kind = "" }
        return self.buckets[kind, default: TokenBucket(capacity: Self.burst, interval: Self.interval, at: now)]
            .take(at: now)
    }
}
