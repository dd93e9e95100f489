// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import OBD2

/// A value that changes gradually, and which change of it is worth a message.
///
/// It must reach 2 % of the value that was told last, or the 500th part of the parameter's range, whichever is less;
/// a step of the parameter's resolution is always enough where it is more than that. Somebody may want another limit.
struct Quantity: Hashable, Sendable {
    private let value: Double
    private let resolution: Double
    private let range: ClosedRange<Double>
    /// What a change must reach, where somebody has said so; metric.
    private let deadBand: Double?

    /// Nil for what is no number: every change of it is worth a message.
    init?(_ fieldValue: FieldValue, deadBand: Double?) {
        guard case .number(let value) = fieldValue.value else { return nil }
        self.value = value
        self.resolution = fieldValue.field.resolution
        self.range = fieldValue.field.rangeOfValues
        self.deadBand = deadBand
    }

    /// Whether the change since `told` is worth a message.
    func isNews(after told: Quantity) -> Bool {
        let change = (self.value - told.value).magnitude
        if let deadBand = self.deadBand { return change > 0 && change >= deadBand * 0.999999 }
        let width = self.range.upperBound - self.range.lowerBound
        let step = max(self.resolution, min(width / 500, (told.value * 0.02).magnitude))
        // Values are sums of steps, but for what doubles make of them.
        return change >= step * 0.999999
    }
}
