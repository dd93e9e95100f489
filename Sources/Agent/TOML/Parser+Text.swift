// SPDX-FileCopyrightText: The obd-agent project
// SPDX-License-Identifier: Apache-2.0

// Strings in quotes.
extension Parser {
    /// Parses a string, from its opening quote past its closing one.
    ///
    /// - Parameter mayBeLong: whether three quotes start a multi-line string; false in a key.
    mutating func parseText(mayBeLong: Bool) throws(SyntaxError) -> String {
        let start = self.cursor.position()
        guard let quote = self.cursor.byte else { return "" }
        let isLong = mayBeLong && self.cursor.byte(after: 1) == quote && self.cursor.byte(after: 2) == quote
        self.cursor.advance(isLong ? 3 : 1)
        if isLong, self.cursor.isAtLineEnd { self.cursor.skipLineEnd() }
        var bytes: [UInt8] = []
        while let byte = self.cursor.byte {
            if byte == quote {
                // Up to two quotes right before the three closing ones belong to the string itself.
                var count = 1
                while isLong, count < 5, self.cursor.byte(after: count) == quote { count += 1 }
                self.cursor.advance(count)
                let ends = count >= (isLong ? 3 : 1)
                bytes += Array(repeating: quote, count: count - (ends ? (isLong ? 3 : 1) : 0))
                if ends { return String(decoding: bytes, as: UTF8.self) }
            } else if self.cursor.isAtLineEnd {
                guard isLong else { break }
                self.cursor.skipLineEnd()
                bytes.append(UInt8(ascii: "\n"))
            } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                try self.parseEscape(isLong: isLong, into: &bytes)
            } else if byte.isControl {
                throw self.failure(.controlCharacter(byte))
            } else {
                bytes.append(byte)
                self.cursor.advance()
            }
        }
        let quotes = String(repeating: String(Unicode.Scalar(quote)), count: isLong ? 3 : 1)
        throw self.failure(.unterminatedText(quotes: quotes), at: start)
    }

    private mutating func parseEscape(isLong: Bool, into bytes: inout [UInt8]) throws(SyntaxError) {
        let start = self.cursor.index
        let position = self.cursor.position()
        self.cursor.advance()
        if isLong {
            // A backslash at the end of a line removes the line end and all following blanks and line ends.
            self.cursor.skipBlanks()
            if self.cursor.isAtLineEnd {
                while self.cursor.isAtLineEnd {
                    self.cursor.skipLineEnd()
                    self.cursor.skipBlanks()
                }
                return
            }
            guard self.cursor.index == start + 1 else { throw self.failure(.invalidEscape("\\ "), at: position) }
        }
        guard let byte = self.cursor.byte, !self.cursor.isAtLineEnd else { return }
        switch byte {
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            try self.parseCodePoint(digits: byte == UInt8(ascii: "u") ? 4 : 8, from: start, at: position, into: &bytes)
            return
        default:
            let character = self.cursor.scalar.map { String($0) } ?? ""
            throw self.failure(.invalidEscape("\\" + character), at: position)
        }
        self.cursor.advance()
    }

    private mutating func parseCodePoint(
        digits: Int,
        from start: Int,
        at position: Position,
        into bytes: inout [UInt8]
    ) throws(SyntaxError) {
        self.cursor.advance()
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = self.cursor.byte.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                let escape = String(decoding: self.cursor.bytes(since: start), as: UTF8.self)
                throw self.failure(.invalidEscape(escape), at: position)
            }
            value = value << 4 | UInt32(digit)
            self.cursor.advance()
        }
        guard let scalar = Unicode.Scalar(value) else {
            let escape = String(decoding: self.cursor.bytes(since: start), as: UTF8.self)
            throw self.failure(.invalidScalar(escape), at: position)
        }
        bytes += Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
}
