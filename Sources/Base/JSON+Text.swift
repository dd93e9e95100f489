// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

extension JSON {
    /// The value as JSON text (RFC 8259) on one line, with sorted keys; infinity and NaN become null.
    package var text: String {
        var text = ""
        self.write(to: &text, indentation: nil)
        return text
    }

    /// The value as ``text`` with a line for each member and element, indented by two spaces a level.
    package var prettyText: String {
        var text = ""
        self.write(to: &text, indentation: 0)
        return text
    }

    /// - Parameter indentation: the spaces before the line that this value begins on; nil for text on one line.
    private func write(to text: inout String, indentation: Int?) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += "\(value)"
        case .number(let value): text += Self.text(of: value)
        case .string(let value): Self.write(value, to: &text)
        case .array(let values):
            Self.write(values, between: ("[", "]"), to: &text, indentation: indentation) { value, text, indentation in
                value.write(to: &text, indentation: indentation)
            }
        case .object(let members):
            // Strings compare by their normal form; the order of bytes is that of `JSONEncoder`.
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            Self.write(sorted, between: ("{", "}"), to: &text, indentation: indentation) { member, text, indentation in
                Self.write(member.key, to: &text)
                text += indentation == nil ? ":" : " : "
                member.value.write(to: &text, indentation: indentation)
            }
        }
    }

    private static func write<Item>(
        _ items: [Item],
        between brackets: (String, String),
        to text: inout String,
        indentation: Int?,
        _ writeItem: (Item, inout String, Int?) -> Void
    ) {
        let inner = indentation.map { $0 + 2 }
        text += brackets.0
        for (index, item) in items.enumerated() {
            if index > 0 { text += "," }
            if let inner { text += "\n" + String(repeating: " ", count: inner) }
            writeItem(item, &text, inner)
        }
        // An empty array or object has an empty line inside, as `JSONEncoder` writes it.
        if let indentation { text += (items.isEmpty ? "\n\n" : "\n") + String(repeating: " ", count: indentation) }
        text += brackets.1
    }

    /// Returns a number in the form that readers of JSON, CSV and SQL share.
    ///
    /// Whole numbers have no fraction: 812 for 812.0. Infinity and NaN become `null`.
    package static func text(of number: Double) -> String {
        guard number.isFinite else { return "null" }
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\u{8}": text += "\\b"
            case "\u{C}": text += "\\f"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..<"\u{20}":
                text += "\\u" + scalar.value.hexadecimal(digits: 4, uppercase: false)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
