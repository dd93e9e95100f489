// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

package import Base
import Contract
import FoundationEssentials
package import OBD2

/// JSON for standard output.
package enum JSONOutput {
    package static func print(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        Console.printJSON(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Prints a value on one line.
    package static func printLine(_ value: JSON) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // JSON has no numbers that can't be encoded: what is decoded is in the range of its field.
        if let data = try? encoder.encode(value) { Console.printJSON(String(decoding: data, as: UTF8.self)) }
    }

    /// What a report encodes to.
    package static func json(encoding report: some Encodable) -> JSON {
        let data = (try? JSONEncoder().encode(report)).map(Array.init)
        return data.flatMap { try? JSON(parsing: $0, depthLimit: 16) } ?? .null
    }

    /// A value as it stands in JSON: coded ones by their number.
    package static func json(_ value: Value) -> JSON {
        switch value {
        case .number(let number): .number(number)
        case .flag(let isOn): .bool(isOn)
        case .code(let code, _): .integer(Int64(code))
        case .text(let text): .string(text)
        case .names(let names): .array(names.map { .string($0) })
        }
    }
}

extension Value {
    /// For people.
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
