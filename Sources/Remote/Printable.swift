// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Makes what strangers wrote safe to be shown on a terminal.
package enum Printable {
    /// How many characters of one text are shown.
    package static let limit = 4000

    /// `text` on one line: what moves a cursor, changes colours or turns the direction of writing becomes U+FFFD.
    package static func text(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(Self.limit) {
            switch scalar {
            case "\t", "\n", "\r": result += " "
            case _ where Self.isDangerous(scalar): result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return text.unicodeScalars.count > Self.limit ? result + "…" : result
    }

    /// JSON text that means the same, with what is dangerous for a terminal written as escapes.
    package static func json(_ text: String) -> String {
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

    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
