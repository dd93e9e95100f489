// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// How far a value can be trusted.
package enum Quality: String, CaseIterable, Encodable, Hashable, Sendable {
    case good
    /// It is the last one, and old.
    case stale
    /// Its time comes from a clock that nobody has set.
    case unsynchronised
}

/// The payload of `parameters/<name>`.
package struct ParameterReport: Encodable, Hashable, Sendable {
    package var value: JSON
    /// The meaning of a coded value, where it is known.
    package var label: String?
    package var unit: String?
    package var time: Timestamp
    package var ecu: String
    package var quality: Quality
    /// The value as it was read; nil for what is no number.
    private let quantity: Quantity?

    private enum CodingKeys: String, CodingKey {
        case value, label, unit, time, ecu, quality
    }

    /// - Parameters:
    ///   - imperial: whether the value is shown in the imperial unit that is usual for it.
    ///   - deadBand: the least change that is worth a message, in the metric unit; nil for what is usual.
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

    /// Whether this is worth a message after `told`, whenever it was read.
    ///
    /// Small changes of a number are not: less than 2 % of it and less than the 500th part of the parameter's range,
    /// or less than the dead-band that somebody wants.
    package func isNews(after told: ParameterReport) -> Bool {
        guard self.unit == told.unit, self.ecu == told.ecu, self.quality == told.quality else { return true }
        guard let quantity = self.quantity, let before = told.quantity else { return self.value != told.value }
        return quantity.isNews(after: before)
    }
}
