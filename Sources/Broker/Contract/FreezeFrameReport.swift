// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// A value as it is shown: a number, a flag, a text or names, with its unit.
package struct ShownValue: Encodable, Hashable, Sendable {
    package let value: JSON
    /// The meaning of a coded value, where it is known.
    package let label: String?
    package let unit: String?

    /// - Parameter imperial: whether the value is shown in the imperial unit that is usual for it.
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

    /// Six decimals are finer than any parameter's step.
    package static func rounded(_ value: Double) -> Double {
        let scaled = value * 1_000_000
        return scaled.magnitude < 1e15 ? scaled.rounded() / 1_000_000 : value
    }
}

extension CodesReport {
    /// What an ECU stored together with a code.
    package struct FreezeFrame: Encodable, Hashable, Sendable {
        /// By the value's name, metric.
        package var values: [String: ShownValue]
        /// The parameters that the frame holds and that could not be read.
        package var unread: [String]

        package init(values: [String: ShownValue], unread: [String]) {
            self.values = values
            self.unread = unread
        }
    }

    /// What is known of an ECU's freeze frame.
    package struct FrameStatus: Encodable, Hashable, Sendable {
        package var state: State
        /// The code that caused the frame; left out where there is none.
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
