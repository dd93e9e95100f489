// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// Where and why a text is not TOML.
package struct SyntaxError: Error, Equatable, Sendable {
    package let fault: Fault
    package let position: Position
    /// The table, or the table and the key, that it is about, as far as it was read.
    package let path: [String]
}

extension SyntaxError: CustomStringConvertible {
    /// What is wrong and what to do; it leaves the line to others.
    package var description: String {
        switch self.fault {
        case .setBefore, .tableElsewhere, .closedTable, .noTable, .tooDeep, .tooLong: self.fault.description
        default: "column \(self.position.column): \(self.fault)"
        }
    }
}

/// What can be wrong with a text.
package enum Fault: Error, Equatable, Sendable {
    /// More bytes than ``Document/maximumSize``.
    case tooLong(limit: Int)
    case notUTF8
    /// U+0000 to U+001F without tab and line ends, or U+007F.
    case controlCharacter(UInt8)
    /// More levels than ``Document/maximumDepth``.
    case tooDeep(limit: Int)
    /// Something else has to stand here; `found` is nil at the end of the text.
    case expected(Expectation, found: Unicode.Scalar?)
    /// Neither a number nor a date nor a truth value.
    case unquoted(String)
    /// A number with zeros in front.
    case leadingZero(String)
    /// A whole number outside of -2^63 to 2^63-1.
    case tooGreat(String)
    /// The text that begins here does not end.
    case openText(quotes: String)
    /// What follows a backslash has no meaning.
    case invalidEscape(String)
    /// An escape for what is no Unicode scalar value.
    case noCharacter(String)
    /// A table in braces goes over several lines.
    case brokenInlineTable
    /// A comma before the closing brace.
    case trailingComma
    /// The key has a value, or the table a header.
    case setBefore(line: Int)
    /// A dotted key leads into a table that has a header of its own.
    case tableElsewhere(line: Int)
    /// A key or a header leads into a table in braces.
    case closedTable(line: Int)
    /// A key or a header leads into what is no table.
    case noTable(String, line: Int)
}

/// What has to stand somewhere.
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
    /// What is wrong and what to do.
    package var description: String {
        switch self {
        case .tooLong(let limit): "longer than \(limit) bytes"
        case .notUTF8: "not UTF-8; save the file in that encoding"
        case .controlCharacter(0): "a NUL character; remove it"
        case .controlCharacter(0x0D): "a carriage return inside of a line; remove it"
        case .controlCharacter(let byte): "the control character \(Self.codePoint(byte)); remove it"
        case .tooDeep(let limit): "nested more than \(limit) levels deep; two are enough"
        case .expected(let expectation, let found):
            "expected \(expectation), found \(Self.name(of: found))\(Self.advice(expectation, found))"
        case .unquoted(let word) where ["true", "false"].contains(word.lowercased()):
            "\(word) has to be written in small letters: \(word.lowercased())"
        case .unquoted(let word) where word.unicodeScalars.contains(where: { (0x2018...0x201F).contains($0.value) }):
            "curly quotes; write straight ones: \""
        case .unquoted(let word): "\(word.quotedIfNeeded) is no number, date, true or false; put a text in quotes"
        case .leadingZero(let word): "\(word.quotedIfNeeded) begins with 0, as no number may; put a text in quotes"
        case .tooGreat(let word): "\(word.quotedIfNeeded) does not fit into 64 bits"
        case .openText(let quotes) where quotes.utf8.count > 1: "the text has no end; close it with \(quotes)"
        case .openText(let quotes): "the text does not end on its line; close it with \(quotes)"
        case .invalidEscape(let escape): "\(escape.quotedIfNeeded) means nothing; write \\\\ for a backslash"
        case .noCharacter(let escape): "\(escape.quotedIfNeeded) is no character of Unicode"
        case .brokenInlineTable: "a table in braces has to end on its line; give it a [header] and lines of its own"
        case .trailingComma: "a comma before }; remove it"
        case .setBefore(let line): "set before, on line \(line); keep one of the two"
        case .tableElsewhere(let line): "its table stands on line \(line); add the key there"
        case .closedTable(let line): "the table on line \(line) ends with its brace; add what is missing there"
        case .noTable(let name, let line): "\(name.quotedIfNeeded) is no table, see line \(line)"
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
        case (.value, nil), (.value, "\n"), (.value, "\r"), (.value, "#"): "; a text without content is \"\""
        case (.lineEnd, let found?) where found != "\"" && found != "'": "; begin a comment with #"
        case (.key, let found?), (.tableName, let found?), (.equals, let found?), (.headerEnd, let found?):
            found.value < 0x80 ? "" : "; put a key in quotes that is not made of A-Z, a-z, 0-9, _ and -"
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
