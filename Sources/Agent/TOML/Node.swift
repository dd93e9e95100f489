// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// A value and where it stands.
package struct Node: Equatable, Sendable {
    package let value: Value
    /// Where the value begins; of a table with a header, the first mention of its name.
    package let position: Position
}

/// What TOML knows.
package enum Value: Equatable, Sendable {
    case table(Table)
    case array([Node])
    case text(String)
    case integer(Int64)
    case number(Double)
    case flag(Bool)
    /// A date, a time or both, valid, as it is written.
    case moment(String)

    /// The table, if it is one.
    package var table: Table? {
        if case .table(let table) = self { table } else { nil }
    }
}

extension Value: CustomStringConvertible {
    /// What a message says was found: `the text "fast"`.
    package var description: String {
        switch self {
        case .table: "a table"
        case .array: "a list"
        case .text(let text): "the text \(text.quoted)"
        case .integer(let value): "the number \(value)"
        case .number(let value): "the number \(value)"
        case .flag(let value): "\(value)"
        case .moment: "a date or time"
        }
    }
}
