// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

/// The reason why the parser rejects a text.
package enum JSONParsingError: Error, Hashable, Sendable {
    /// The text is not JSON (RFC 8259) at this line and column, each counted from 1; both texts in words.
    case notJSON(line: Int, column: Int, expected: String, found: String)
    /// Arrays and objects are nested more deeply than the limit.
    case tooDeep(limit: Int)
    /// A number is larger than a 64-bit floating-point number can be.
    case numberTooLarge(line: Int, column: Int)
    /// A key appears twice in one object; readers of JSON differ about which of the two counts.
    case repeatedKey(String)
    /// A key has more bytes than the limit.
    case longKey(limit: Int)
    /// A string has more combining marks in a row than the limit.
    case tooManyMarks(limit: Int)
}

extension JSONParsingError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notJSON(let line, let column, let expected, let found):
            "invalid JSON at line \(line), column \(column): expected \(expected), found \(found)"
        case .numberTooLarge(let line, let column): "the number at line \(line), column \(column) is too large"
        case .tooDeep(let limit): "the JSON is nested more than \(limit) levels deep"
        case .repeatedKey(let key): "the key \"\(key.prefix(bytes: 64))\" appears twice in one object"
        case .longKey(let limit): "a key has more than \(limit) bytes"
        case .tooManyMarks(let limit): "a string has more than \(limit) combining marks in a row"
        }
    }
}

extension JSON {
    /// The largest number of bytes in a key.
    package static let keyLimit = 128

    /// Parses a JSON text in UTF-8, strictly by RFC 8259.
    ///
    /// The cost of hashing and comparing untrusted text is bounded. Keys have at most ``keyLimit`` bytes, and all
    /// strings are stream-safe. The parser checks both before it hashes a key.
    ///
    /// - Parameter depthLimit: the largest number of nested arrays and objects.
    package init(parsing bytes: [UInt8], depthLimit: Int) throws(JSONParsingError) {
        var parser = JSONParser(bytes, depthLimit: depthLimit)
        self = try parser.parse()
    }
}

private struct JSONParser {
    private let bytes: [UInt8]
    private let depthLimit: Int
    private var index = 0
    private var depth = 0

    init(_ bytes: [UInt8], depthLimit: Int) {
        self.bytes = bytes
        self.depthLimit = depthLimit
    }

    mutating func parse() throws(JSONParsingError) -> JSON {
        let value = try self.value()
        guard self.next == nil else { throw self.fault(expected: "the end of the text") }
        return value
    }

    /// The largest length of a word in an error, in bytes.
    private static let foundLimit = 8

    /// Returns the error at the current position.
    ///
    /// - Parameter found: the found text in words; nil for the word or the character at the position.
    private func fault(expected: String, found: String? = nil) -> JSONParsingError {
        let (line, column) = self.place(of: self.index)
        return .notJSON(line: line, column: column, expected: expected, found: found ?? self.found)
    }

    /// The word or the character at the current position, cut and without characters that are dangerous for a terminal.
    private var found: String {
        let rest = self.bytes.dropFirst(self.index).prefix(Self.foundLimit + 1)
        guard let byte = rest.first else { return "the end of the text" }
        let word = String(decoding: rest.prefix(while: Self.isInWord), as: UTF8.self)
        if !word.isEmpty {
            return "\"\(word.prefix(bytes: Self.foundLimit))" + (word.utf8.count > Self.foundLimit ? "…\"" : "\"")
        }
        guard let scalar = String(decoding: rest, as: UTF8.self).unicodeScalars.first, scalar != "\u{FFFD}" else {
            return "the byte \(byte.hexadecimal)"
        }
        if scalar == "\"" { return "a quotation mark" }
        let character = String(scalar)
        guard Printable.text(character) == character else {
            return "the character U+\(scalar.value.hexadecimal(digits: 4))"
        }
        return "\"\(character)\""
    }

    private static func isInWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private func place(of index: Int) -> (line: Int, column: Int) {
        let before = self.bytes.prefix(index)
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return (1 + before.count { $0 == 0x0A }, index - lineStart + 1)
    }

    /// The next byte that is not white space; nil at the end.
    private var next: UInt8? {
        mutating get {
            while self.index < self.bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(self.bytes[self.index]) {
                self.index += 1
            }
            return self.index < self.bytes.count ? self.bytes[self.index] : nil
        }
    }

    private mutating func take(_ byte: Character) -> Bool {
        guard self.next == byte.asciiValue else { return false }
        self.index += 1
        return true
    }

    private mutating func value() throws(JSONParsingError) -> JSON {
        switch self.next {
        case UInt8(ascii: "{"): return try self.nested { (parser) throws(JSONParsingError) in try parser.object() }
        case UInt8(ascii: "["): return try self.nested { (parser) throws(JSONParsingError) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try self.string())
        case UInt8(ascii: "t"): return try self.word("true", .bool(true))
        case UInt8(ascii: "f"): return try self.word("false", .bool(false))
        case UInt8(ascii: "n"): return try self.word("null", .null)
        default: return try self.number()
        }
    }

    private mutating func nested(
        _ body: (inout JSONParser) throws(JSONParsingError) -> JSON
    ) throws(JSONParsingError) -> JSON {
        self.depth += 1
        guard self.depth <= self.depthLimit else { throw .tooDeep(limit: self.depthLimit) }
        self.index += 1
        let value = try body(&self)
        self.depth -= 1
        return value
    }

    private mutating func object() throws(JSONParsingError) -> JSON {
        var object: [String: JSON] = [:]
        if self.take("}") { return .object(object) }
        repeat {
            guard self.next == UInt8(ascii: "\"") else { throw self.fault(expected: "a key in quotation marks") }
            let key = try self.string(atMost: JSON.keyLimit)
            guard self.take(":") else { throw self.fault(expected: "a colon") }
            guard object.updateValue(try self.value(), forKey: key) == nil else { throw .repeatedKey(key) }
        } while self.take(",")
        guard self.take("}") else { throw self.fault(expected: "a comma or \"}\"") }
        return .object(object)
    }

    private mutating func array() throws(JSONParsingError) -> JSON {
        var array: [JSON] = []
        if self.take("]") { return .array(array) }
        repeat { array.append(try self.value()) } while self.take(",")
        guard self.take("]") else { throw self.fault(expected: "a comma or \"]\"") }
        return .array(array)
    }

    private mutating func word(_ word: String, _ value: JSON) throws(JSONParsingError) -> JSON {
        guard self.bytes[self.index...].starts(with: word.utf8) else { throw self.fault(expected: "a value") }
        self.index += word.utf8.count
        return value
    }

    // MARK: - Numbers

    private mutating func number() throws(JSONParsingError) -> JSON {
        let start = self.index
        var isWhole = true
        if self.peek == UInt8(ascii: "-") { self.index += 1 }
        let first = self.index
        let count = self.digits()
        guard count > 0, count == 1 || self.bytes[first] != UInt8(ascii: "0") else {
            self.index = start
            throw self.fault(expected: count > 0 ? "a number without zeros in front" : "a value")
        }
        if self.peek == UInt8(ascii: ".") {
            isWhole = false
            self.index += 1
            guard self.digits() > 0 else { throw self.fault(expected: "a digit") }
        }
        if self.peek == UInt8(ascii: "e") || self.peek == UInt8(ascii: "E") {
            isWhole = false
            self.index += 1
            if self.peek == UInt8(ascii: "+") || self.peek == UInt8(ascii: "-") { self.index += 1 }
            guard self.digits() > 0 else { throw self.fault(expected: "a digit") }
        }
        let text = String(decoding: self.bytes[start..<self.index], as: UTF8.self)
        if isWhole, let integer = Int64(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else {
            let (line, column) = self.place(of: start)
            throw .numberTooLarge(line: line, column: column)
        }
        return .number(number)
    }

    private var peek: UInt8? { self.index < self.bytes.count ? self.bytes[self.index] : nil }

    private mutating func digits() -> Int {
        let start = self.index
        while let byte = self.peek, 0x30...0x39 ~= byte { self.index += 1 }
        return self.index - start
    }

    // MARK: - Strings

    /// - Parameter limit: the largest number of bytes in the string.
    private mutating func string(atMost limit: Int = .max) throws(JSONParsingError) -> String {
        self.index += 1
        var text: [UInt8] = []
        while let byte = self.peek, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw self.fault(expected: "an escape for a control character") }
            self.index += 1
            if byte == UInt8(ascii: "\\") { try self.escape(&text) } else { text.append(byte) }
        }
        guard self.peek != nil else { throw self.fault(expected: "a quotation mark at the end of the string") }
        guard let string = String(validating: text, as: UTF8.self) else {
            throw self.fault(expected: "a string in UTF-8", found: "other bytes")
        }
        guard text.count <= limit else { throw .longKey(limit: limit) }
        guard string.isStreamSafe else { throw .tooManyMarks(limit: String.markLimit) }
        self.index += 1
        return string
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "\""): 0x22, UInt8(ascii: "\\"): 0x5C, UInt8(ascii: "/"): 0x2F, UInt8(ascii: "b"): 0x08,
        UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    private mutating func escape(_ text: inout [UInt8]) throws(JSONParsingError) {
        guard let letter = self.peek, letter == UInt8(ascii: "u") || Self.escapes[letter] != nil else {
            throw self.fault(expected: "an escape sequence, such as \\n or \\\\")
        }
        self.index += 1
        if let byte = Self.escapes[letter] { return text.append(byte) }
        var units = [try self.unit()]
        if UTF16.isLeadSurrogate(units[0]), self.bytes[self.index...].starts(with: "\\u".utf8) {
            self.index += 2
            units.append(try self.unit())
        }
        guard let string = String(validating: units, as: UTF16.self) else {
            throw self.fault(expected: "an escape for a character", found: "half of a surrogate pair")
        }
        text += string.utf8
    }

    private mutating func unit() throws(JSONParsingError) -> UInt16 {
        let text = String(decoding: self.bytes[self.index...].prefix(4), as: UTF8.self)
        guard let bytes = [UInt8](hexadecimal: text), bytes.count == 2 else {
            throw self.fault(expected: "four hexadecimal digits")
        }
        self.index += 4
        return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    }
}
