// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// A value in a payload: a number, a flag, a text or names, with its unit.
package struct ShownValue: Encodable, Hashable, Sendable {
    package let value: JSON
    /// The label of a value of an enumeration; nil if there is none.
    package let label: String?
    package let unit: String?

    /// - Parameter imperial: whether the value is converted to its usual imperial unit.
    package init(_ fieldValue: FieldValue, imperial: Bool) {
        var symbol = fieldValue.field.symbol
        var label: String?
        switch fieldValue.value {
        case .number(let metric):
            var shown = metric
            if imperial, let (value, imperialUnit) = fieldValue.field.imperial(metric) {
                (shown, symbol) = (value, imperialUnit.symbol)
            }
            self.value = .number(Self.rounded(shown))
        case .flag(let isOn):
            self.value = .bool(isOn)
        case .code(let code, let meaning):
            self.value = .integer(Int64(code))
            label = meaning
        case .text(let text):
            self.value = .string(text)
        case .names(let names):
            self.value = .array(names.map { .string($0) })
        }
        self.label = label
        self.unit = symbol
    }

    /// Returns the value rounded to six decimals, which are finer than any parameter's step.
    package static func rounded(_ value: Double) -> Double {
        let scaled = value * 1_000_000
        return scaled.magnitude < 1e15 ? scaled.rounded() / 1_000_000 : value
    }
}

extension CodesReport {
    /// The values that an ECU stored together with a code.
    package struct FreezeFrame: Encodable, Hashable, Sendable {
        /// The values in metric units, by name.
        package var values: [String: ShownValue]
        /// The parameters of the frame that could not be read.
        package var unread: [String]

        package init(values: [String: ShownValue], unread: [String]) {
            self.values = values
            self.unread = unread
        }
    }

    /// The status of an ECU's freeze frame.
    package struct FrameStatus: Encodable, Hashable, Sendable {
        package var state: State
        /// The code that caused the frame; left out if there is none.
        package var code: String?

        package enum State: String, CaseIterable, Encodable, Hashable, Sendable {
            case stored, none, unread
            case notSupported = "not_supported"
        }

        package init(_ state: State, code: String? = nil) {
            self.state = state
            self.code = code
        }
    }
}
