// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// The reliability of a value and its time.
package enum Quality: String, CaseIterable, Encodable, Hashable, Sendable {
    case good
    /// The time is from an unsynchronized clock.
    case unsynchronised
    /// The agent has computed the value from others; `derived` of `vehicle` has its sources and assumptions.
    case derived
}

/// The payload of `parameters/<name>`.
package struct ParameterReport: Encodable, Hashable, Sendable {
    package var value: JSON
    /// The label of a value of an enumeration; left out if there is none.
    package var label: String?
    package var unit: String?
    package var time: Timestamp
    package var ecu: String
    package var quality: Quality
    /// The metric number, for comparisons; nil for a value of another kind.
    private let quantity: Quantity?

    private enum CodingKeys: String, CodingKey {
        case value, label, unit, time, ecu, quality
    }

    /// - Parameters:
    ///   - imperial: whether the value is converted to its usual imperial unit.
    ///   - deadBand: the least change that is published at once, in the metric unit; nil for the default.
    package init(
        _ fieldValue: FieldValue,
        imperial: Bool,
        time: Timestamp,
        ecu: String,
        quality: Quality,
        deadBand: Double? = nil
    ) {
        let shown = ShownValue(fieldValue, imperial: imperial)
        (self.value, self.label, self.unit) = (shown.value, shown.label, shown.unit)
        self.time = time
        self.ecu = ecu
        self.quality = quality
        self.quantity = Quantity(fieldValue, deadBand: deadBand)
    }

    /// Whether this differs enough from the published report `published` for another message.
    ///
    /// The time does not count. A change of a number must reach the configured dead band. Without one it must reach 2 %
    /// of the published value or 1/500 of the parameter's range, whichever is less, and at least one step.
    package func differsSignificantly(from published: ParameterReport) -> Bool {
        guard self.unit == published.unit, self.ecu == published.ecu, self.quality == published.quality else {
            return true
        }
        guard let quantity = self.quantity, let reference = published.quantity else {
            return self.value != published.value
        }
        return quantity.differsSignificantly(from: reference)
    }
}
