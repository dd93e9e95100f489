// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// Decides which old rows are deleted, and how many at once.
///
/// Deleted rows are gone: no agent sends them again. So the date comes from the ``FleetClock``, and an hour deletes a
/// bounded number of rows.
package struct Retention: Hashable, Sendable {
    /// The number of rows that one step deletes.
    static let step = 2000
    /// The time between two rounds.
    static let interval = Duration.seconds(3600)
    /// The number of rows that a round deletes in any case, and at most so many times what was written since the last.
    static let rows = 1_000_000
    static let factor = 4

    /// A finished round.
    package struct Round: Hashable, Sendable {
        /// The time before which rows were deleted.
        package var limit: Timestamp
        package var rows: Int
        /// Whether older rows are left for the next round.
        package var isCut: Bool
    }

    private let keep: Duration
    private var clock = FleetClock()
    /// The time of the next step.
    private var next = MonotonicTime.zero
    /// The rows that were written since the last round.
    private var written = 0
    private var round: Round?
    private var roundEnd = MonotonicTime.zero

    /// - Parameter keep: the time to keep rows.
    package init(keep: Duration) {
        self.keep = keep
    }

    /// A batch was committed.
    package mutating func batchCommitted(_ batch: Batch, _ result: WriteResult, at now: MonotonicTime) {
        self.clock.recordsCommitted(batch.records, at: now)
        self.written += result.samples + batch.records.count
    }

    /// Returns the time before which rows are to be deleted now; nil if nothing is to be done.
    package mutating func stepLimit(at now: MonotonicTime, _ date: Timestamp) -> Timestamp? {
        guard now >= self.next else { return nil }
        if let round { return round.limit }
        guard let date = self.clock.date(notAfter: date, at: now) else {
            // The fleet has no date until a vehicle is heard, which may be soon.
            self.next = now + .seconds(60)
            return nil
        }
        let limit = date + (.zero - self.keep)
        self.round = Round(limit: limit, rows: 0, isCut: false)
        self.roundEnd = now + Self.interval
        return limit
    }

    /// A step has deleted rows; returns the round if that was its last step and it has deleted something.
    package mutating func stepDone(_ count: Int, at now: MonotonicTime) -> Round? {
        guard var round else { return nil }
        round.rows += count
        round.isCut = round.rows >= max(Self.rows, Self.factor * self.written)
        self.round = round
        guard round.isCut || count < Self.step else { return nil }
        self.round = nil
        self.next = self.roundEnd
        self.written = 0
        return round.rows > 0 ? round : nil
    }
}
