// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Exponential back-off with full jitter: how long to wait before the next attempt.
///
/// The n-th wait is drawn from zero to `first * 2ⁿ`, and never exceeds `limit`. Drawing the whole range keeps 500
/// agents that lost one broker from coming back in step (AWS Architecture Blog, "Exponential Backoff And Jitter").
package struct Backoff: Sendable {
    private let first: Duration
    private let limit: Duration
    private var attempts = 0

    /// - Parameters:
    ///   - first: the longest that the first wait can be.
    ///   - limit: the longest that any wait can be.
    package init(first: Duration, limit: Duration) {
        self.first = first
        self.limit = limit
    }

    /// How long to wait now.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let ceiling = min(self.limit, self.first * (1 << min(self.attempts, 20)))
        self.attempts += 1
        // The product is rounded, upwards too.
        return min(ceiling, ceiling * Double.random(in: 0...1, using: &generator))
    }

    /// How long to wait now, drawn from the system's randomness.
    package mutating func next() -> Duration {
        var generator = SystemRandomNumberGenerator()
        return self.next(using: &generator)
    }

    /// The attempt succeeded: the next failure starts small again.
    package mutating func reset() {
        self.attempts = 0
    }
}
