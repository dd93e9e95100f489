// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// A number with its dead band: the least change that is published at once.
///
/// The default dead band is 2 % of the published value or 1/500 of the parameter's range, whichever is less. It is
/// never less than one step of the parameter's resolution. The configuration can replace the default.
struct Quantity: Hashable, Sendable {
    private let value: Double
    private let resolution: Double
    private let range: ClosedRange<Double>
    /// The configured dead band, in the metric unit; nil for the default.
    private let deadBand: Double?

    /// Takes the number of a value; nil for a value of another kind, of which every change is significant.
    init?(_ fieldValue: FieldValue, deadBand: Double?) {
        guard case .number(let value) = fieldValue.value else { return nil }
        self.value = value
        self.resolution = fieldValue.field.resolution
        self.range = fieldValue.field.rangeOfValues
        self.deadBand = deadBand
    }

    /// Whether the change since the published value `published` reaches the dead band.
    func differsSignificantly(from published: Quantity) -> Bool {
        let change = (self.value - published.value).magnitude
        if let deadBand = self.deadBand { return change > 0 && change >= deadBand * 0.999999 }
        let width = self.range.upperBound - self.range.lowerBound
        let step = max(self.resolution, min(width / 500, (published.value * 0.02).magnitude))
        // Values are whole numbers of steps, apart from the rounding errors of doubles.
        return change >= step * 0.999999
    }
}
