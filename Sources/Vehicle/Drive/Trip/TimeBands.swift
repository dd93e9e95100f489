// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The time that a quantity has spent in each of several bands.
package struct TimeBands: Hashable, Sendable {
    /// The bounds between the bands, ascending; a value on a bound belongs to the band above.
    package let bounds: [Double]
    /// The seconds in each band: one more than there are bounds.
    package private(set) var seconds: [Double]

    /// The bounds for an engine's speed, in rpm.
    package static let engineSpeed = TimeBands([1000, 1500, 2000, 2500, 3000, 4000])
    /// The bounds for an engine's load, in %.
    package static let engineLoad = TimeBands([20, 40, 60, 80])

    package init(_ bounds: [Double]) {
        self.bounds = bounds
        self.seconds = Array(repeating: 0, count: bounds.count + 1)
    }

    /// Restores the bands from their seconds; nil if their number is another one.
    init?(_ bands: TimeBands, seconds: [Double]) {
        guard seconds.count == bands.seconds.count else { return nil }
        self.bounds = bands.bounds
        self.seconds = seconds
    }

    /// Whether any time was added.
    package var isEmpty: Bool { !self.seconds.contains { $0 > 0 } }

    mutating func add(_ seconds: Double, at value: Double) {
        let band = self.bounds.firstIndex { value < $0 } ?? self.bounds.count
        self.seconds[band] += seconds
    }
}
