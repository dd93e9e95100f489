// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The numbers that came on the topics of one vehicle: a row of the table `received`.
///
/// Only messages on these topics change it.
package struct Received: Hashable, Sendable {
    /// The largest number of ranges of holes; the smallest of those beyond are given up as lost.
    package static let holeLimit = 10_000

    /// The numbers whose records are in the database.
    package var numbers = NumberSet()
    /// The numbers whose records will never come, as the agent has told; one that comes all the same is written.
    package var lost = NumberSet()
    /// The highest number that is known to exist; 0 if there is none.
    package var last: UInt64 = 0
    /// Whether no number above ``last`` will follow, because the agent has told so after a restart.
    package var isEnded = false
    /// The time before which no collector looks at the holes again; nil if none has.
    package var nextAsk: Timestamp?
    /// The number of requests for the holes since an answer last promised records.
    package var asks = 0
    /// Whether records are missing, and whether the end is known, with what the rows of other vehicles tell.
    package var outlook = Outlook()

    /// The facts by which a collector claims a row; computed at each change of the sequence.
    package struct Outlook: Hashable, Sendable {
        /// Whether a record with some number up to ``Received/last`` is missing and may still come.
        package var hasHoles = false
        /// Whether no number above the last one will follow.
        package var isEndKnown = false

        package init() {}
    }

    package init() {}

    /// The numbers that are neither in the database nor lost.
    package var holes: NumberSet {
        // Mostly there is none.
        if let only = self.numbers.ranges.first, only.lowerBound <= 1, only.upperBound >= self.last {
            return NumberSet()
        }
        var known = self.numbers
        known.formUnion(self.lost)
        return known.holes(through: self.last)
    }

    /// The result of a record's number.
    package enum Arrival: Hashable, Sendable {
        /// The record is new, and has the highest number.
        case next
        /// The record is new, and records with higher numbers are known.
        case late
        /// The record is in the database.
        case duplicate
    }

    /// Adds the number of a record to ``numbers``.
    package mutating func recordReceived(_ number: UInt64) -> Arrival {
        guard self.numbers.insert(number) else { return .duplicate }
        self.lost.remove(number)
        guard number <= self.last else {
            self.last = number
            return .next
        }
        return .late
    }

    /// Adds a fact about the stream.
    package mutating func factReceived(_ fact: StreamChange.Fact) {
        switch fact {
        case .exists(let number): self.last = max(self.last, number)
        case .reaches(let number):
            // A higher number is forged or damaged, or so new that the next message tells of it.
            if number < self.last { self.last = number } else { self.factReceived(.exists(number)) }
        case .lost(let numbers):
            for range in numbers.ranges {
                self.last = max(self.last, range.upperBound)
                // A record that has come is not lost, whatever the agent still has.
                self.lost.formUnion(self.numbers.holes(from: range.lowerBound, through: range.upperBound))
            }
        case .ended(let number):
            // A higher number is not of this agent: it never existed.
            if number < self.last { self.lost.formUnion(self.numbers.holes(from: number + 1, through: self.last)) }
            self.last = max(self.last, number)
            self.isEnded = true
        case .asked(let next):
            self.nextAsk = next
            self.asks = min(self.asks, .max - 1) + 1
        case .promised: self.asks = 0
        case .released(let next): self.nextAsk = next
        }
    }

    /// Bounds the size of the sets: gives up the smallest of too many holes.
    ///
    /// Such a hole is lost, so that a record that comes late is still written. Only beyond ``NumberSet/limit`` ranges a
    /// hole counts as received.
    ///
    /// - Returns: the number of numbers whose records are not written any more, should they come.
    package mutating func reduce() -> UInt64 {
        // Each hole lies before a range of a number that came.
        if self.numbers.ranges.count > Self.holeLimit {
            self.lost.formUnion(self.holes.smallest(beyond: Self.holeLimit))
        }
        return self.numbers.reduce() &+ self.lost.reduce()
    }
}
