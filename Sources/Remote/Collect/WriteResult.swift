// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
package import Contract

/// The counts of what was written.
package struct WriteResult: Hashable, Sendable {
    /// The new records by their stream.
    package var records: [RecordStream: Int] = [:]
    package var samples = 0
    /// The new records that came after one with a higher number.
    package var late = 0
    /// The records that came again because a collector had asked for them.
    package var again = 0
    /// The records that the database had.
    package var duplicates = 0
    package var states = 0
    package var rejected = 0
    /// The numbers that have become missing, and those that are no longer.
    package var opened: UInt64 = 0
    package var closed: UInt64 = 0
    /// The numbers whose records will not come: their agents have told so, or a stream had too many holes.
    package var lost: UInt64 = 0
    /// The numbers whose records are not even written if they come, because a stream had far too many holes.
    package var givenUp: UInt64 = 0
    /// The agents whose numbers came on the topics of two vehicles.
    package var shared: Set<SharedAgent> = []
    package var transactions = 0
    /// The transactions that were tried again because of another writer.
    package var conflicts = 0
    /// The age of the newest record by the agent's own time; nil without new records.
    package var delay: Duration?

    package init() {}

    package mutating func add(_ other: WriteResult) {
        self.records.merge(other.records) { $0 + $1 }
        self.samples += other.samples
        self.late += other.late
        self.again += other.again
        self.duplicates += other.duplicates
        self.states += other.states
        self.rejected += other.rejected
        self.opened &+= other.opened
        self.closed &+= other.closed
        self.lost &+= other.lost
        self.givenUp &+= other.givenUp
        if self.shared.count < SharedAgents.limit { self.shared.formUnion(other.shared) }
        self.transactions += other.transactions
        self.conflicts += other.conflicts
        self.delay = other.delay ?? self.delay
    }

    /// Adds new records.
    mutating func received(_ records: [CollectedRecord], at now: Timestamp) {
        for record in records { self.records[record.key.stream, default: 0] += 1 }
        if let newest = records.lazy.map(\.time).max() { self.delay = max(.zero, now - newest) }
    }

    /// Adds the changes of a stream, with what the other vehicles of its agent tell.
    mutating func holesChanged(from old: Received, to new: Received) {
        let (before, after) = (old.holes, new.holes)
        let stayed = before.intersection(after).count
        self.opened &+= after.count &- stayed
        self.closed &+= before.count &- stayed
    }
}
