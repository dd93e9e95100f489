// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The position and the reason for which a text is not valid TOML.
package struct SyntaxError: Error, Equatable, Sendable {
    package let fault: Fault
    package let position: Position
    /// The table, or the table and the key, with the error, as far as they were parsed.
    package let path: [String]
}

extension SyntaxError: CustomStringConvertible {
    /// The fault and the remedy, with the column but without the line, which the caller adds.
    package var description: String {
        switch self.fault {
        case .duplicate, .tableDefinedElsewhere, .inlineTableExtended, .notATable, .tooDeep, .tooLong:
            self.fault.description
        default:
            "column \(self.position.column): \(self.fault)"
        }
    }
}

/// The reasons for which a text is not valid TOML.
package enum Fault: Error, Equatable, Sendable {
    /// The text has more bytes than ``Document/maximumSize``.
    case tooLong(limit: Int)
    case notUTF8
    /// The text has a control character: U+0000 to U+001F except tab and line ends, or U+007F.
    case controlCharacter(UInt8)
    /// Tables or lists are nested deeper than ``Document/maximumDepth``.
    case tooDeep(limit: Int)
    /// The parser expected something else; `found` is `nil` at the end of the text.
    case expected(Expectation, found: Unicode.Scalar?)
    /// A word without quotes is no number, date, time or Boolean value.
    case notAValue(String)
    /// A number starts with a zero.
    case leadingZero(String)
    /// An integer is outside of -2^63 to 2^63-1.
    case outOfRange(String)
    /// A string has no closing quotes.
    case unterminatedText(quotes: String)
    /// A backslash is followed by a character that is no escape sequence.
    case invalidEscape(String)
    /// An escape sequence stands for a number that is no Unicode scalar value.
    case invalidScalar(String)
    /// A table in braces spans several lines.
    case multilineInlineTable
    /// A comma precedes the closing brace.
    case trailingComma
    /// The key already has a value, or the table already has a header.
    case duplicate(line: Int)
    /// A dotted key extends a table that has a header of its own.
    case tableDefinedElsewhere(line: Int)
    /// A key or a header extends a table in braces.
    case inlineTableExtended(line: Int)
    /// A key or a header extends a value that is no table.
    case notATable(String, line: Int)
}

/// The elements of the grammar that an error can name as missing.
package enum Expectation: Equatable, Sendable {
    case key
    case tableName
    case equals
    case value
    case lineEnd
    case headerEnd(brackets: String)
    case listEnd(line: Int)
    case inlineTableEnd
}

extension Fault: CustomStringConvertible {
    /// The fault and the remedy.
    package var description: String {
        switch self {
        case .tooLong(let limit): "longer than \(limit) bytes"
        case .notUTF8: "not UTF-8. Try: save the file as UTF-8"
        case .controlCharacter(0): "a NUL character. Try: remove it"
        case .controlCharacter(0x0D): "a carriage return within a line. Try: remove it"
        case .controlCharacter(let byte): "the control character \(Self.codePoint(byte)). Try: remove it"
        case .tooDeep(let limit): "nested more than \(limit) levels deep"
        case .expected(let expectation, let found):
            "expected \(expectation), found \(Self.name(of: found))\(Self.advice(expectation, found))"
        case .notAValue(let word) where ["true", "false"].contains(word.lowercased()):
            "\(word) is not a value. Try: \(word.lowercased())"
        case .notAValue(let word) where word.unicodeScalars.contains(where: { (0x2018...0x201F).contains($0.value) }):
            "curly quotes. Try: straight quotes (\")"
        case .notAValue(let word):
            "\(word.quotedIfNeeded) is not a number, a date, true or false. Try: quotes around a text"
        case .leadingZero(let word):
            "\(word.quotedIfNeeded) starts with 0, which TOML does not allow. Try: remove the zeros, or use quotes"
        case .outOfRange(let word): "\(word.quotedIfNeeded) does not fit into 64 bits. Try: quotes around a text"
        case .unterminatedText(let quotes) where quotes.utf8.count > 1:
            "the text is not closed. Try: end it with \(quotes)"
        case .unterminatedText(let quotes): "the text is not closed on its line. Try: end it with \(quotes)"
        case .invalidEscape(let escape): "\(escape.quotedIfNeeded) is not an escape sequence. Try: \\\\ for a backslash"
        case .invalidScalar(let escape): "\(escape.quotedIfNeeded) stands for no character. Try: the character itself"
        case .multilineInlineTable: "a table in braces must end on its line. Try: a [header] with one line per key"
        case .trailingComma: "a comma before }. Try: remove it"
        case .duplicate(let line): "already set on line \(line). Try: keep one of the two"
        case .tableDefinedElsewhere(let line): "its table is defined on line \(line). Try: add the key there"
        case .inlineTableExtended(let line):
            "the table on line \(line) is closed by its brace. Try: add the key inside the braces"
        case .notATable(let name, let line):
            "\(name.quotedIfNeeded) has a value on line \(line), so it cannot be a table. Try: remove one of the two"
        }
    }

    private static func name(of scalar: Unicode.Scalar?) -> String {
        switch scalar {
        case nil: "the end of the file"
        case "\n", "\r": "the end of the line"
        case " ": "a blank"
        case "\t": "a tab"
        case .some(let scalar): String(scalar).quotedIfNeeded
        }
    }

    private static func advice(_ expectation: Expectation, _ found: Unicode.Scalar?) -> String {
        switch (expectation, found) {
        case (.value, nil), (.value, "\n"), (.value, "\r"), (.value, "#"): ". Try: \"\" for an empty text"
        case (.lineEnd, let found?) where found != "\"" && found != "'": ". Try: start a comment with #"
        case (.key, let found?), (.tableName, let found?), (.equals, let found?), (.headerEnd, let found?):
            found.value < 0x80 ? "" : ". Try: quotes around a key with characters other than A-Z, a-z, 0-9, _ and -"
        default: ""
        }
    }

    private static func codePoint(_ byte: UInt8) -> String {
        "U+00" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}

extension Expectation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .key: "a key"
        case .tableName: "the name of a table after ["
        case .equals: "= after the key"
        case .value: "a value"
        case .lineEnd: "the end of the line"
        case .headerEnd(let brackets): "\(brackets) after the name of the table"
        case .listEnd(let line): "a comma or ] in the list of line \(line)"
        case .inlineTableEnd: "a comma or } in the table"
        }
    }
}
