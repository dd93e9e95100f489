// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import Contract
import Testing

@testable import Collect

@Suite("Deletion of old rows")
struct RetentionTests {
    private static let keep = Duration.seconds(400 * 86_400)

    private static func batch(_ times: [String: Timestamp], isSynchronised: Bool = true) throws -> Batch {
        var batch = Batch()
        for (vehicle, time) in times {
            guard var record = try Messages.batch([try Messages.telemetry(1, of: vehicle)]).records.first else {
                continue
            }
            (record.time, record.isSynchronised) = (time, isSynchronised)
            batch.records.append(record)
        }
        return batch
    }

    private static func time(_ hours: Int) -> MonotonicTime { MonotonicTime(sinceBoot: .seconds(hours * 3600)) }

    /// A retention and the vehicles that it hears.
    private final class Bench {
        var retention = Retention(keep: RetentionTests.keep)

        func hear(_ time: Timestamp, at now: MonotonicTime, samples: Int = 0) throws {
            var result = WriteResult()
            result.samples = samples
            self.retention.batchCommitted(try RetentionTests.batch(["van": time]), result, at: now)
        }

        func limit(at now: MonotonicTime, _ date: Timestamp) -> Timestamp? { self.retention.stepLimit(at: now, date) }
        func done(_ count: Int, at now: MonotonicTime) -> Retention.Round? { self.retention.stepDone(count, at: now) }
    }

    @Test("A clock that is years ahead deletes nothing that the fleet's clocks do not")
    func wrongClock() throws {
        let bench = Bench()
        let ahead = Messages.now + .seconds(2 * 365 * 86_400)
        let early = MonotonicTime(sinceBoot: .seconds(30))
        // Nothing was heard yet; a minute later something was.
        #expect(bench.limit(at: .zero, ahead) == nil)
        try bench.hear(Messages.now, at: early)
        #expect(bench.limit(at: early, ahead) == nil)
        #expect(bench.limit(at: Self.time(1), ahead) == Messages.now + (.zero - Self.keep))
        // The own clock counts where it is behind.
        let other = Bench()
        try other.hear(ahead, at: .zero)
        #expect(other.limit(at: .zero, Messages.now) == Messages.now + (.zero - Self.keep))
    }

    @Test("The date is the median of the vehicles with the right time that were heard in the last hours")
    func median() throws {
        var clock = FleetClock()
        let ahead = Messages.now + .seconds(10 * 365 * 86_400)
        let yesterday = Messages.now + .seconds(-86_400)
        let times = ["a": Messages.now, "b": yesterday, "thief": ahead]
        clock.recordsCommitted(try Self.batch(times).records, at: .zero)
        clock.recordsCommitted(try Self.batch(["x": ahead, "y": ahead], isSynchronised: false).records, at: .zero)
        // An old record that is sent again.
        clock.recordsCommitted(try Self.batch(["a": yesterday]).records, at: Self.time(1))
        let (early, late) = (
            clock.date(notAfter: ahead, at: Self.time(1)), clock.date(notAfter: ahead, at: Self.time(7))
        )
        #expect(early == Messages.now && late == nil)
    }

    @Test("An hour deletes a bounded number of rows, and says how many")
    func rounds() throws {
        let bench = Bench()
        try bench.hear(Messages.now, at: .zero)
        let limit = Messages.now + (.zero - Self.keep)
        var steps = 0
        var round: Retention.Round?
        while round == nil, steps < 2000 {
            #expect(bench.limit(at: .zero, Messages.now) == limit)
            round = bench.done(Retention.step, at: .zero)
            steps += 1
        }
        #expect(round == Retention.Round(limit: limit, rows: Retention.rows, isCut: true))
        #expect(bench.limit(at: .zero, Messages.now) == nil)
        // The next hour may delete more if more was written.
        try bench.hear(Messages.now, at: Self.time(1), samples: Retention.rows)
        #expect(bench.limit(at: Self.time(1), Messages.now) == limit)
        #expect(bench.done(2 * Retention.rows, at: Self.time(1)) == nil)
        #expect(bench.done(7, at: Self.time(1))?.rows == 2 * Retention.rows + 7)
        // A round without rows tells nothing.
        try bench.hear(Messages.now, at: Self.time(2))
        #expect(bench.limit(at: Self.time(2), Messages.now) == limit)
        #expect(bench.done(0, at: Self.time(2)) == nil)
        #expect(bench.limit(at: Self.time(2), Messages.now) == nil)
    }
}
