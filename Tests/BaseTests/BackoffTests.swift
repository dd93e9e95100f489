// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@Suite("Exponential backoff")
struct BackoffTests {
    private static let first = Duration.seconds(1)
    private static let limit = Duration.seconds(30)

    @Test("No wait is negative, longer than its attempt allows, or longer than the limit", arguments: 0..<50)
    func bounds(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var backoff = Backoff(first: Self.first, limit: Self.limit)
        for attempt in 0..<100 {
            let wait = backoff.next(using: &generator)
            let ceiling = min(Self.limit, Self.first * (1 << min(attempt, 20)))
            #expect(Duration.zero...ceiling ~= wait, "attempt \(attempt)")
        }
    }

    @Test("A limit that no binary fraction expresses is not exceeded")
    func oddLimit() {
        var generator = SeededGenerator(seed: 1)
        let limit = Duration(secondsComponent: 86_399, attosecondsComponent: 999_999_999_999_999_999)
        var backoff = Backoff(first: limit, limit: limit)
        for _ in 0..<100 { #expect(Duration.zero...limit ~= backoff.next(using: &generator)) }
        var highest = HighestGenerator()
        #expect(backoff.next(using: &highest) <= limit)
    }

    @Test("Waits are drawn from the whole range")
    func range() {
        var generator = SeededGenerator(seed: 1)
        var backoff = Backoff(first: Self.limit, limit: Self.limit)
        let waits = (0..<1000).map { _ in backoff.next(using: &generator).seconds }
        #expect(waits.contains { $0 < 3 })
        #expect(waits.contains { $0 > 27 })
        #expect(14...16 ~= waits.reduce(0, +) / 1000)
    }

    @Test("After a reset the waits start small again")
    func reset() {
        var highest = HighestGenerator()
        var backoff = Backoff(first: Self.first, limit: Self.limit)
        for _ in 0..<10 { _ = backoff.next(using: &highest) }
        #expect(backoff.next(using: &highest) > .seconds(29))
        backoff.reset()
        #expect(backoff.next(using: &highest) <= Self.first)
        #expect(backoff.next(using: &highest) > Self.first)
    }
}

/// A generator that always draws the highest number.
private struct HighestGenerator: RandomNumberGenerator {
    func next() -> UInt64 { .max }
}
