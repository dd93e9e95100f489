// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

import Base
import OBD2

/// The comparison of a decoded with a recorded value.
enum Comparison {
    /// Whether two numbers are equal but for rounding.
    ///
    /// Recorded values are rounded to five decimals.
    static func isClose(_ left: Double, _ right: Double) -> Bool {
        abs(left - right) <= max(0.000_011, 1e-6 * max(abs(left), abs(right)))
    }

    /// Returns the number of a value; nil if it is none.
    static func number(_ value: DecodedValue) -> Double? {
        if case .number(let number) = value { number } else { nil }
    }

    /// Whether a value is the recorded one.
    ///
    /// - Parameter isState: whether a state has a name.
    static func isEqual(_ value: DecodedValue, _ expected: JSON, isState: (Int, String) -> Bool) -> Bool {
        switch (value, expected) {
        case (.number(let number), _): expected.double.map { Self.isClose(number, $0) } ?? false
        case (.flag(let flag), .integer(let number)): flag == (number != 0)
        case (.flag(let flag), .bool(let expected)): flag == expected
        case (.flag(let flag), .string(let name)): isState(flag ? 1 : 0, name)
        case (.code(let code, let label), .string(let name)): label == name || isState(code, name)
        case (.code(let code, _), _): expected.double == Double(code)
        default: false
        }
    }
}
