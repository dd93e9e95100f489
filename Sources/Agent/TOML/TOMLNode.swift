// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A value with its position.
package struct TOMLNode: Equatable, Sendable {
    package let value: TOMLValue
    /// The start of the value; for a table with a header, the first mention of its name.
    package let position: Position
}

/// A value of TOML.
package enum TOMLValue: Equatable, Sendable {
    case table(Table)
    case array([TOMLNode])
    case text(String)
    case integer(Int64)
    case number(Double)
    case flag(Bool)
    /// A valid date, time or date and time, as it is written.
    case dateTime(String)

    /// The table, if the value is one.
    package var table: Table? {
        if case .table(let table) = self { table } else { nil }
    }
}

extension TOMLValue: CustomStringConvertible {
    /// The value in words, for an error message: `the text "fast"`.
    package var description: String {
        switch self {
        case .table: "a table"
        case .array: "a list"
        case .text(let text): "the text \(text.quoted)"
        case .integer(let value): "the number \(value)"
        case .number(let value): "the number \(value)"
        case .flag(let value): "\(value)"
        case .dateTime: "a date or time"
        }
    }
}
