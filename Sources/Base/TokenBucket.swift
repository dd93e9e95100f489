// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A rate limit: at most `capacity` events in a burst, then one event per interval.
///
/// The bucket counts the events that it refuses. Log lines about bad input pass such a limit, so that garbage on a link
/// cannot fill a disk.
package struct TokenBucket: Sendable {
    private let capacity: Int
    private let interval: Duration
    private var tokens: Int
    private var lastRefill: MonotonicTime
    /// The number of events refused since the last accepted one.
    package private(set) var refused = 0

    /// - Parameters:
    ///   - capacity: the largest burst.
    ///   - interval: the time after which one more event is accepted.
    package init(capacity: Int, interval: Duration, at now: MonotonicTime) {
        self.capacity = capacity
        self.interval = interval
        self.tokens = capacity
        self.lastRefill = now
    }

    /// Accepts or refuses an event.
    ///
    /// - Returns: the number of events refused since the last accepted one, or `nil` if this event is refused.
    package mutating func take(at now: MonotonicTime) -> Int? {
        while self.tokens < self.capacity, now - self.lastRefill >= self.interval {
            self.tokens += 1
            self.lastRefill = self.lastRefill + self.interval
        }
        guard self.tokens > 0 else {
            self.refused += 1
            return nil
        }
        if self.tokens == self.capacity { self.lastRefill = now }
        self.tokens -= 1
        defer { self.refused = 0 }
        return self.refused
    }
}
