// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Escapes untrusted text for a terminal, a log or a spreadsheet.
package enum Printable {
    /// The default limit for the length of a text, in Unicode scalars.
    package static let limit = 4000

    /// Returns `text` on one line, cut after `limit` Unicode scalars.
    ///
    /// Tabs and line breaks become blanks. Characters that move the cursor, change colors or reverse the direction of
    /// writing become U+FFFD.
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

    /// Returns equivalent JSON text, with the characters that are dangerous for a terminal as escapes.
    package static func json(_ text: String) -> String {
        if Self.isPlain(text) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            guard Self.isDangerous(scalar), scalar != "\n" else {
                result.unicodeScalars.append(scalar)
                continue
            }
            // JSON has such characters in strings only, and escapes their UTF-16 code units (RFC 8259 section 7).
            for unit in Character(scalar).utf16 {
                result += "\\u" + unit.hexadecimal(digits: 4, uppercase: false)
            }
        }
        return result
    }

    /// Returns the text of a CSV cell.
    ///
    /// Line breaks stay. A text that a spreadsheet would take for a formula gets an apostrophe in front.
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

    /// Whether `text` is printable ASCII, as most texts are: it needs no lookup in the Unicode tables.
    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { 0x20...0x7E ~= $0 } }

    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
