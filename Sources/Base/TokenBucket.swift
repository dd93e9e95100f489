// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A token bucket: at most so many events in a burst, then one each interval.
///
/// Counts what it refused.
///
/// Log lines about bad input go through one of these, so that garbage on a link cannot fill a disk.
package struct TokenBucket: Sendable {
    private let capacity: Int
    private let interval: Duration
    private var tokens: Int
    private var refilled: MonotonicTime
    /// How many events were refused since the last one that was let through.
    package private(set) var refused = 0

    /// - Parameters:
    ///   - capacity: the largest burst.
    ///   - interval: the time in which one token grows back.
    package init(capacity: Int, interval: Duration, at now: MonotonicTime) {
        self.capacity = capacity
        self.interval = interval
        self.tokens = capacity
        self.refilled = now
    }

    /// Whether an event may pass now; if so, how many were refused before it.
    package mutating func take(at now: MonotonicTime) -> Int? {
        while self.tokens < self.capacity, now - self.refilled >= self.interval {
            self.tokens += 1
            self.refilled = self.refilled + self.interval
        }
        guard self.tokens > 0 else {
            self.refused += 1
            return nil
        }
        if self.tokens == self.capacity { self.refilled = now }
        self.tokens -= 1
        defer { self.refused = 0 }
        return self.refused
    }
}
