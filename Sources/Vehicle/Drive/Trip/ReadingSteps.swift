// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base

/// The steps between the readings of one quantity.
struct ReadingSteps: Hashable, Sendable {
    /// A step from one reading to the next.
    struct Step: Hashable, Sendable {
        var from: Double
        var to: Double
        var seconds: Double

        var mean: Double { (self.from + self.to) / 2 }
    }

    /// The longest time between two readings that still show the quantity in between.
    static let longest = Duration.seconds(15)

    /// The last reading.
    private(set) var value: Double?
    private(set) var time: MonotonicTime?

    /// Takes over a reading.
    ///
    /// - Returns: the step to it; nil for the first reading, after a gap, and for a second reading of the same time.
    mutating func receive(_ value: Double, at time: MonotonicTime) -> Step? {
        guard let last = self.time, let from = self.value else {
            (self.value, self.time) = (value, time)
            return nil
        }
        guard time > last else { return nil }
        (self.value, self.time) = (value, time)
        guard time - last <= Self.longest else { return nil }
        return Step(from: from, to: value, seconds: (time - last).seconds)
    }

    /// Returns the last reading if it is recent.
    func recent(at now: MonotonicTime) -> Double? {
        guard let time = self.time, now - time <= Self.longest else { return nil }
        return self.value
    }
}
