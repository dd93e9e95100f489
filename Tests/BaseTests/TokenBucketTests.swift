// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Testing

@Suite("Token bucket")
struct TokenBucketTests {
    private static func time(_ milliseconds: Int) -> MonotonicTime {
        MonotonicTime(sinceBoot: .milliseconds(milliseconds))
    }

    @Test("A burst passes, then one event per interval, and refused events are counted")
    func burst() {
        var bucket = TokenBucket(capacity: 3, interval: .seconds(1), at: Self.time(0))
        let burst = (0..<6).map { bucket.take(at: Self.time($0)) }
        #expect(burst == [0, 0, 0, nil, nil, nil])
        #expect(bucket.refused == 3)
        #expect(bucket.take(at: Self.time(999)) == nil)
        #expect(bucket.take(at: Self.time(1000)) == 4)
        #expect(bucket.refused == 0)
        #expect(bucket.take(at: Self.time(1999)) == nil)
        #expect(bucket.take(at: Self.time(2000)) == 1)
    }

    @Test("A long pause fills the bucket to its capacity and no further")
    func rest() {
        var bucket = TokenBucket(capacity: 2, interval: .seconds(1), at: Self.time(0))
        for _ in 0..<2 { #expect(bucket.take(at: Self.time(0)) == 0) }
        let later = Self.time(365 * 86_400_000)
        #expect((0..<3).map { _ in bucket.take(at: later) } == [0, 0, nil])
        #expect(bucket.take(at: later + .milliseconds(999)) == nil)
        #expect(bucket.take(at: later + .seconds(1)) == 2)
    }

    @Test("Over any time no more events pass than the burst plus one per interval", arguments: 0..<20)
    func rate(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var bucket = TokenBucket(capacity: 5, interval: .milliseconds(100), at: Self.time(0))
        var now = 0
        var passed = 0
        for _ in 0..<2000 {
            now += Int.random(in: 0...60, using: &generator)
            if bucket.take(at: Self.time(now)) != nil { passed += 1 }
        }
        #expect(passed <= 5 + now / 100)
        #expect(passed >= now / 100 - 5)
    }

    @Test("No event passes while the clock stands still, or with a capacity of 0")
    func nothing() {
        var bucket = TokenBucket(capacity: 1, interval: .seconds(1), at: Self.time(5000))
        #expect(bucket.take(at: Self.time(5000)) == 0)
        #expect(bucket.take(at: Self.time(5000)) == nil)
        #expect(bucket.take(at: Self.time(0)) == nil)
        var closed = TokenBucket(capacity: 0, interval: .seconds(1), at: Self.time(0))
        #expect(closed.take(at: Self.time(10_000)) == nil)
    }
}

@Suite("Durations as numbers")
struct DurationTests {
    @Test(
        "Milliseconds are rounded toward zero, seconds keep the fraction",
        arguments: [
            (Duration.zero, Int64(0), 0.0), (.milliseconds(1500), 1500, 1.5), (.microseconds(999), 0, 0.000999),
            (.milliseconds(-1500), -1500, -1.5), (.nanoseconds(-1), 0, -1e-9),
        ]
    )
    func numbers(duration: Duration, milliseconds: Int64, seconds: Double) {
        #expect(duration.milliseconds == milliseconds)
        #expect(abs(duration.seconds - seconds) < 1e-12)
    }
}
