// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
package import OBD2

/// Prints JSON to standard output.
package enum JSONOutput {
    /// Prints a value with a line for each member and element.
    ///
    /// - Throws: `EncodingError` if a number is infinite or NaN.
    package static func print(_ value: some Encodable) throws {
        Self.write(try JSON(encoding: value))
    }

    /// Prints a value on one line.
    package static func printLine(_ value: JSON) { Self.write(value, onOneLine: true) }

    /// Prints a value with a line for each member and element, or on one line.
    static func write(_ value: JSON, onOneLine: Bool = false) {
        Console.printJSON(onOneLine ? value.text : value.prettyText)
    }

    /// Encodes a report; one that cannot be encoded becomes null.
    package static func json(encoding report: some Encodable) -> JSON { (try? JSON(encoding: report)) ?? .null }

    /// Returns a parameter's value as JSON, a coded value by its number.
    package static func json(_ value: DecodedValue) -> JSON {
        switch value {
        case .number(let number): .number(number)
        case .flag(let isOn): .bool(isOn)
        case .code(let code, _): .integer(Int64(code))
        case .text(let text): .string(text)
        case .names(let names): .array(names.map { .string($0) })
        }
    }
}

extension DecodedValue {
    /// The value in words and with at most three decimal places.
    package var text: String {
        switch self {
        case .number(let number):
            let rounded = (number * 1000).rounded() / 1000
            return rounded == rounded.rounded() && rounded.magnitude < 1e15 ? "\(Int64(rounded))" : "\(rounded)"
        case .flag(let isOn): return isOn ? "yes" : "no"
        case .code(let code, let label): return label ?? "\(code)"
        case .text(let text): return text
        case .names(let names): return names.isEmpty ? "none" : names.joined(separator: " ")
        }
    }
}
