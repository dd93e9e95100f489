// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Makes what strangers wrote safe for a terminal, a log and a spreadsheet.
package enum Printable {
    /// The default for the number of characters of one text that are shown.
    package static let limit = 4000

    /// `text` on one line: what moves a cursor, changes colours or turns the direction of writing becomes U+FFFD.
    package static func text(_ text: String, limit: Int = Printable.limit) -> String {
        if Self.isPlain(text), text.utf8.count <= limit { return text }
        var result = ""
        for scalar in text.unicodeScalars.prefix(limit) {
            switch scalar {
            case "\t", "\n", "\r": result += " "
            case _ where Self.isDangerous(scalar): result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return text.unicodeScalars.count > limit ? result + "…" : result
    }

    /// JSON text that means the same, with what is dangerous for a terminal written as escapes.
    package static func json(_ text: String) -> String {
        if Self.isPlain(text) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            guard Self.isDangerous(scalar), scalar != "\n" else {
                result.unicodeScalars.append(scalar)
                continue
            }
            // JSON has them in strings only, and names them by their UTF-16 code units (RFC 8259 section 7).
            for unit in Character(scalar).utf16 {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result
    }

    /// The text of a cell of CSV: lines stay lines, and a text that a spreadsheet would take for a formula begins with
    /// an apostrophe.
    package static func cell(_ text: String) -> String {
        var result = ""
        if let first = text.unicodeScalars.first, ["=", "+", "-", "@", "\t", "\r", "\n"].contains(first) {
            result = "'"
        }
        if Self.isPlain(text) { return result + text }
        for scalar in text.unicodeScalars {
            let isKept = ["\t", "\n", "\r"].contains(scalar) || !Self.isDangerous(scalar)
            result.unicodeScalars.append(isKept ? scalar : "\u{FFFD}")
        }
        return result
    }

    /// Most texts are printable ASCII, which nothing has to be looked up for.
    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { 0x20...0x7E ~= $0 } }

    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
