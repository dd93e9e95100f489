// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// One value of a TOML document, free of the parser that read it.
indirect enum Node: Equatable, Sendable {
    case table([String: Node])
    case array([Node])
    case text(String)
    case integer(Int)
    case number(Double)
    case flag(Bool)
    /// A date, a time, or both: no key of ours is one.
    case moment

    /// The nodes of a table.
    var table: [String: Node]? {
        if case .table(let nodes) = self { nodes } else { nil }
    }
}

extension Node: CustomStringConvertible {
    /// What an error says was found: `the text "fast"`.
    var description: String {
        switch self {
        case .table: "a table"
        case .array: "a list"
        case .text(let text): "the text \(quoted(text))"
        case .integer(let value): "the number \(value)"
        case .number(let value): "the number \(value)"
        case .flag(let value): "\(value)"
        case .moment: "a date or time"
        }
    }
}

/// `text` in quotes, fit for one line of a terminal: control characters escaped, at most 60 characters.
func quoted(_ text: String) -> String {
    (text.count > 60 ? "\(text.prefix(60))…" : text).debugDescription
}
