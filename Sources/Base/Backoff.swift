// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Exponential backoff with full jitter, which spaces the attempts of a retry.
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

    /// Returns the wait before the next attempt.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let ceiling = min(self.limit, self.first * (1 << min(self.attempts, 20)))
        self.attempts += 1
        // Rounding can lift the product above the ceiling.
        return min(ceiling, ceiling * Double.random(in: 0...1, using: &generator))
    }

    /// Returns the wait before the next attempt, drawn from the system's random numbers.
    package mutating func next() -> Duration {
        var generator = SystemRandomNumberGenerator()
        return self.next(using: &generator)
    }

    /// Restarts the backoff after a successful attempt: the next wait is at most `first`.
    package mutating func reset() {
        self.attempts = 0
    }
}
