// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

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

    /// - Parameter imperial: whether the value is shown in the imperial unit that is usual for it.
    package init(_ fieldValue: FieldValue, imperial: Bool, time: Timestamp, ecu: String, quality: Quality) {
        var unit = fieldValue.field.unit
        self.label = nil
        switch fieldValue.value {
        case .number(let metric):
            var shown = metric
            if imperial, let (value, imperialUnit) = fieldValue.field.imperial(metric) {
                (shown, unit) = (value, imperialUnit)
            }
            self.value = .number(Self.rounded(shown))
        case .flag(let isOn):
            self.value = .bool(isOn)
        case .code(let code, let label):
            self.value = .integer(Int64(code))
            self.label = label
        case .text(let text):
            self.value = .string(text)
        case .names(let names):
            self.value = .array(names.map { .string($0) })
        }
        self.unit = unit?.symbol
        self.time = time
        self.ecu = ecu
        self.quality = quality
    }

    /// Whether both say the same of the vehicle, whenever it was read.
    package func saysTheSame(as other: ParameterReport) -> Bool {
        self.value == other.value && self.unit == other.unit && self.ecu == other.ecu && self.quality == other.quality
    }

    /// Six decimals are finer than any parameter's step.
    private static func rounded(_ value: Double) -> Double {
        let scaled = value * 1_000_000
        return scaled.magnitude < 1e15 ? scaled.rounded() / 1_000_000 : value
    }
}
