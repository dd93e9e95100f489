// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base

/// The numbers of a stream that a database has: the row of the table `received`.
package struct Received: Hashable, Sendable {
    /// The numbers whose records are in the database.
    package var numbers = NumberSet()
    /// The numbers whose records will never come, as the agent has told.
    package var lost = NumberSet()
    /// The highest number that is known to exist; 0 if there is none.
    package var last: UInt64 = 0
    /// Whether no number above ``last`` will follow, because the agent has told so after a restart.
    package var isEnded = false
    /// The time before which no collector looks at the holes again; nil if none has.
    package var nextAsk: Timestamp?
    /// The number of requests for the holes since records last came.
    package var asks = 0

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

    /// Whether a record with some number up to ``last`` is missing and may still come.
    package var hasHoles: Bool { !self.holes.isEmpty }

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
        self.asks = 0
        return .late
    }

    /// Adds a fact about the stream.
    package mutating func factReceived(_ fact: StreamChange.Fact) {
        switch fact {
        case .exists(let number): self.last = max(self.last, number)
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
        case .released(let next): self.nextAsk = next
        }
    }

    /// Bounds the size of the sets.
    ///
    /// - Returns: the number of numbers whose records are given up by that.
    package mutating func reduce() -> UInt64 { self.numbers.reduce() &+ self.lost.reduce() }
}
